/*
 * toolreeve: the tool system of a coding agent.
 *
 * Texts in are a pointer and a length: UTF-8, no NUL needed, NULL with length 0 is the empty text, and they are copied
 * before the call returns. Texts out are a toolreeve_string, to be freed with toolreeve_string_free. JSON has the same
 * shapes as in Rust and Python.
 *
 * Handles (toolreeve_agent, toolreeve_builder, toolreeve_error) are looked up, never followed. NULL, a freed handle or one of
 * another type is refused with a status; freeing twice is refused too.
 *
 * Statuses: every function that can fail returns one. Out-parameters come last and are written only on success; they
 * must not be NULL unless the text says so. `error` is the exception: it is written only on failure, may be NULL, and
 * what it gets is to be freed with toolreeve_error_free.
 *
 * Callbacks are a function, its userdata, and a finalizer that frees the userdata. They run only inside of
 * toolreeve_agent_dispatch, on the thread that calls it, one at a time; no thread of the library ever enters the program.
 * A callback may call every function. It must return: no longjmp, no C++ exception may leave it. The answer to a request may
 * be given inside of the callback or later, from any thread; no thread is blocked meanwhile.
 *
 * Threads: every function may be called from any thread, and those that take `const` handles from several at once. The
 * library changes no signal handler, no environment and no working directory. After a fork the child must make objects
 * of its own. Do not unload the library while an agent lives.
 *
 * A program:
 *
 *     toolreeve_builder_new(config, strlen(config), &builder, &error);
 *     toolreeve_builder_model(builder, on_model, userdata, NULL);
 *     toolreeve_builder_build(builder, &agent, &error);
 *     toolreeve_agent_run(agent, prompt, strlen(prompt), &run, &error);
 *     while (!done && toolreeve_agent_wait(agent, -1) == TOOLREEVE_STATUS_OK) {
 *       toolreeve_agent_dispatch(agent, 0, NULL, NULL);
 *       while (toolreeve_agent_next_event(agent, &run, &event) == TOOLREEVE_STATUS_OK) { ... toolreeve_string_free(&event); }
 *     }
 *     toolreeve_agent_free(agent);
 *
 * Generated from ffi/src; change it there.
 */


#ifndef TOOLREEVE_H
#define TOOLREEVE_H

#include <stddef.h>
#include <stdint.h>

/** The version that the header was made for, as text. */
#define TOOLREEVE_VERSION_STRING "0.1.0"

/** What a toolreeve_string begins as. */
#define TOOLREEVE_STRING_INIT {0, 0}

/**
 * The first number of the version that the header was made for.
 */
#define TOOLREEVE_VERSION_MAJOR 0

/**
 * The second number of the version that the header was made for. Before 1.0 it changes with the ABI.
 */
#define TOOLREEVE_VERSION_MINOR 1

/**
 * The third number of the version that the header was made for.
 */
#define TOOLREEVE_VERSION_PATCH 0

/**
 * The number of the binary interface that the header was made for; compare it with `toolreeve_abi_version`.
 */
#define TOOLREEVE_ABI_VERSION 1

/**
 * What became of a call. Numbers below 20 are mistakes of the caller, those from 20 on say how things stand, those
 * from 40 on come from the system, and 60 is a defect of the library. Numbers never change; new ones may come.
 */
enum toolreeve_status
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /**
   * It worked.
   */
  TOOLREEVE_STATUS_OK = 0,
  /**
   * A pointer that must not be NULL is.
   */
  TOOLREEVE_STATUS_NULL_POINTER = 1,
  /**
   * The handle is none of this type, or what it named has been freed.
   */
  TOOLREEVE_STATUS_INVALID_HANDLE = 2,
  /**
   * A text is not UTF-8.
   */
  TOOLREEVE_STATUS_INVALID_UTF8 = 3,
  /**
   * A text is not JSON.
   */
  TOOLREEVE_STATUS_INVALID_JSON = 4,
  /**
   * A value does not fit; the error says which.
   */
  TOOLREEVE_STATUS_INVALID_ARGUMENT = 5,
  /**
   * The configuration is not usable; the error names the field.
   */
  TOOLREEVE_STATUS_INVALID_CONFIG = 6,
  /**
   * There is no such tool, or the input does not fit it.
   */
  TOOLREEVE_STATUS_INVALID_CALL = 7,
  /**
   * There is nothing to take at the moment.
   */
  TOOLREEVE_STATUS_EMPTY = 20,
  /**
   * The time ran out.
   */
  TOOLREEVE_STATUS_TIMEOUT = 21,
  /**
   * Nobody waits for this (any more): it was answered, cancelled, or never asked.
   */
  TOOLREEVE_STATUS_NOT_WANTED = 22,
  /**
   * It cannot be done now: callbacks are running, or a run is under way.
   */
  TOOLREEVE_STATUS_BUSY = 23,
  /**
   * A signal came while waiting.
   */
  TOOLREEVE_STATUS_INTERRUPTED = 24,
  /**
   * The system refused something.
   */
  TOOLREEVE_STATUS_IO = 40,
  /**
   * This process was forked after the object was made. Make new ones in the child.
   */
  TOOLREEVE_STATUS_FORKED = 41,
  /**
   * The library met a defect of its own. Nothing else is known to be damaged.
   */
  TOOLREEVE_STATUS_PANIC = 60,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum toolreeve_status toolreeve_status;
#else
typedef int32_t toolreeve_status;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * A conversation with tools, with threads of its own. All its functions may be called from any thread at any time,
 * also from callbacks; once it is freed they return `TOOLREEVE_STATUS_INVALID_HANDLE`. Agents know nothing of each
 * other.
 */
typedef struct toolreeve_agent toolreeve_agent;

/**
 * An agent in the making. `toolreeve_builder_build` ends it; `toolreeve_builder_free` is for one that is not built. Any
 * thread.
 */
typedef struct toolreeve_builder toolreeve_builder;

/**
 * Why something failed: a status and one sentence. Functions that take a `toolreeve_error **` write one there when
 * they fail, unless the pointer is NULL. Free it with `toolreeve_error_free`.
 */
typedef struct toolreeve_error toolreeve_error;

/**
 * A text that the library hands out. It ends with a NUL that `length` does not count. Begin with
 * `TOOLREEVE_STRING_INIT`, read the fields, never change them, and free it with `toolreeve_string_free`, which makes
 * it empty: freeing it again is fine.
 */
typedef struct toolreeve_string {
  /**
   * The bytes, UTF-8; NULL if there is no text.
   */
  char *data;
  /**
   * Their number, without the NUL at the end.
   */
  size_t length;
} toolreeve_string;

/**
 * Opens a model's answer. Called by `toolreeve_agent_dispatch`, on its thread. `request` is JSON: `tools`, `system`,
 * `messages` in the shape of the Anthropic Messages API; it is valid during the call only. Answer with
 * `toolreeve_model_push` or `toolreeve_model_push_event` and at last `toolreeve_model_end` or `toolreeve_model_fail`,
 * from inside of the callback or later, from any thread.
 */
typedef void (*toolreeve_model_fn)(void *userdata,
                                   struct toolreeve_agent *agent,
                                   uint64_t request_id,
                                   const char *request,
                                   size_t request_length);

/**
 * Frees the userdata of a callback; may be NULL. Called exactly once for each registration, also if that fails: when
 * the agent (or the unbuilt builder) is freed, or, if a call on the agent is still under way on some thread, at the end
 * of that call, on that thread.
 */
typedef void (*toolreeve_finalizer_fn)(void *userdata);

/**
 * Asks the person, runs a hook, or judges a call. Called by `toolreeve_agent_dispatch`, on its thread. `request` is JSON and valid
 * during the call only. Answer once with `toolreeve_permission_answer`, `toolreeve_hook_answer` or
 * `toolreeve_classifier_answer`, from inside of the callback or later, from any thread.
 */
typedef void (*toolreeve_request_fn)(void *userdata,
                                     struct toolreeve_agent *agent,
                                     uint64_t request_id,
                                     const char *request,
                                     size_t request_length);

/**
 * Hears an event. Called by `toolreeve_agent_dispatch`, on its thread. `event` is JSON with a `type`; it is valid during
 * the call only. The last event of a run is `done`.
 */
typedef void (*toolreeve_event_fn)(void *userdata,
                                   struct toolreeve_agent *agent,
                                   uint64_t run_id,
                                   const char *event,
                                   size_t event_length);

/**
 * Hears that the answer to an earlier request is no longer wanted. Called by `toolreeve_agent_dispatch`, on its thread.
 */
typedef void (*toolreeve_cancel_fn)(void *userdata,
                                    struct toolreeve_agent *agent,
                                    uint64_t request_id);

/**
 * Runs a tool of the host. Called by `toolreeve_agent_dispatch`, on its thread. `input` is JSON that fits the tool's
 * schema; `tool_use_id` is the model's id of the call. Both are valid during the call only. Answer once with
 * `toolreeve_tool_answer`, `toolreeve_tool_answer_text` or `toolreeve_tool_fail`, from inside of the callback or later,
 * from any thread.
 */
typedef void (*toolreeve_tool_fn)(void *userdata,
                                  struct toolreeve_agent *agent,
                                  uint64_t request_id,
                                  const char *tool_use_id,
                                  size_t tool_use_id_length,
                                  const char *input,
                                  size_t input_length);

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * The number of the binary interface of the library that is loaded. If it is not `TOOLREEVE_ABI_VERSION`, the program
 * was built for another one.
 */
uint32_t toolreeve_abi_version(void);

/**
 * The version of the library that is loaded, for example "0.1.0". Valid for ever.
 */
const char *toolreeve_version_string(void);

/**
 * The name of a status, for example "TOOLREEVE_STATUS_OK"; "unknown status" for any other number. Valid for ever.
 * Takes a number, so that any number is fine.
 */
const char *toolreeve_status_name(int32_t status);

/**
 * The status of an error; `TOOLREEVE_STATUS_INVALID_HANDLE` if it is none. Any thread.
 */
toolreeve_status toolreeve_error_code(const struct toolreeve_error *error);

/**
 * The words of an error, valid until it is freed; never NULL. For people: the words may change between versions. Any
 * thread.
 */
const char *toolreeve_error_message(const struct toolreeve_error *error);

/**
 * Frees an error. NULL is fine. Any thread.
 */
toolreeve_status toolreeve_error_free(struct toolreeve_error *error);

/**
 * Frees a text and makes it empty. NULL and empty ones are fine. Any thread, one at a time.
 */
toolreeve_status toolreeve_string_free(struct toolreeve_string *string);

/**
 * Begins an agent from a configuration, a JSON object whose fields may all be left out: `cwd`, `home`,
 * `additional_directories`, `rules` {`allow`, `ask`, `deny`}, `mode`, `settings` (the content of a settings file) and
 * `settings_folder` (where patterns `/p` in it begin),
 * `system`, `max_turns`, `built_in_tools`, `simple`, `repl`, `env`, `messages`, `session_id`, `spill_dir`, `threads`.
 * An unknown field is an error.
 */
toolreeve_status toolreeve_builder_new(const char *config,
                                       size_t config_length,
                                       struct toolreeve_builder **builder,
                                       struct toolreeve_error **error);

/**
 * Frees a builder that was not built, and finalizes its callbacks. NULL is fine.
 */
toolreeve_status toolreeve_builder_free(struct toolreeve_builder *builder);

/**
 * Sets the callback for the model. Without one, runs fail with the event `error`.
 */
toolreeve_status toolreeve_builder_model(struct toolreeve_builder *builder,
                                         toolreeve_model_fn callback,
                                         void *userdata,
                                         toolreeve_finalizer_fn finalizer);

/**
 * Sets the callback for permission questions. Without one there is nobody to ask, and what would ask is denied. The
 * request is JSON with `tool_use_id`, `tool_name`, `input`, `title`, `suggestions`, `decision` and more.
 */
toolreeve_status toolreeve_builder_permission(struct toolreeve_builder *builder,
                                              toolreeve_request_fn callback,
                                              void *userdata,
                                              toolreeve_finalizer_fn finalizer);

/**
 * Sets the classifier: it judges calls by their meaning where no rule does, started together with the hooks. In the
 * mode `auto` it may refuse calls too. The request is JSON with `tool_name` and `input`, a text; answer with
 * `toolreeve_classifier_answer`.
 */
toolreeve_status toolreeve_builder_classifier(struct toolreeve_builder *builder,
                                              toolreeve_request_fn callback,
                                              void *userdata,
                                              toolreeve_finalizer_fn finalizer);

/**
 * Sets the callback for events. Without one, events wait for `toolreeve_agent_next_event`.
 */
toolreeve_status toolreeve_builder_events(struct toolreeve_builder *builder,
                                          toolreeve_event_fn callback,
                                          void *userdata,
                                          toolreeve_finalizer_fn finalizer);

/**
 * Sets the callback that hears which requests are no longer wanted. Without one, `TOOLREEVE_STATUS_NOT_WANTED` tells.
 */
toolreeve_status toolreeve_builder_cancel(struct toolreeve_builder *builder,
                                          toolreeve_cancel_fn callback,
                                          void *userdata,
                                          toolreeve_finalizer_fn finalizer);

/**
 * Adds a tool that the host runs. `spec` is JSON: `name` and `input_schema`, and what may be left out: `description`,
 * `prompt`, `aliases`, `read_only`, `concurrency_safe`, `destructive`, `requires_interaction`, `classifier_fields`, `defer_loading`,
 * `search_hint`, `max_result_chars`, `mcp`, and `reads` and `writes`, lists of keys with fields of the input in them
 * (`file:{path}`, `table:{name}`): calls whose keys do not meet run beside each other. What is not said is careful:
 * alone, not read-only.
 */
toolreeve_status toolreeve_builder_add_tool(struct toolreeve_builder *builder,
                                            const char *spec,
                                            size_t spec_length,
                                            toolreeve_tool_fn callback,
                                            void *userdata,
                                            toolreeve_finalizer_fn finalizer,
                                            struct toolreeve_error **error);

/**
 * Adds a hook that the host runs. `spec` is JSON: `event`, a name of the public contract such as "PreToolUse", "Stop"
 * or "UserPromptSubmit", and `matcher`, which names tools (or what else the event is about) and may be left out. The
 * request and the answer have the public shapes of hooks.
 */
toolreeve_status toolreeve_builder_add_hook(struct toolreeve_builder *builder,
                                            const char *spec,
                                            size_t spec_length,
                                            toolreeve_request_fn callback,
                                            void *userdata,
                                            toolreeve_finalizer_fn finalizer,
                                            struct toolreeve_error **error);

/**
 * Makes the agent. Ends the builder, also on failure: its handle is invalid afterwards and its callbacks belong to the
 * agent or are finalized.
 */
toolreeve_status toolreeve_builder_build(struct toolreeve_builder *builder,
                                         struct toolreeve_agent **agent,
                                         struct toolreeve_error **error);

/**
 * Makes an agent without callbacks: it tells of its tools, judges calls and runs the built-in tools, but has no model
 * and nobody to ask. The configuration is that of `toolreeve_builder_new`.
 */
toolreeve_status toolreeve_agent_new(const char *config,
                                     size_t config_length,
                                     struct toolreeve_agent **agent,
                                     struct toolreeve_error **error);

/**
 * Frees an agent: stops its runs, kills what they started, and finalizes its callbacks. From then on its handle is
 * invalid; callbacks that other threads are in the middle of end as usual, no further one is called. May be called
 * from a callback. Takes at most about two seconds. In a forked child it does nothing (`TOOLREEVE_STATUS_FORKED`). NULL
 * is fine.
 */
toolreeve_status toolreeve_agent_free(struct toolreeve_agent *agent);

/**
 * The descriptor that is readable while `toolreeve_agent_dispatch` has something to do. For poll, epoll, GLib, Qt,
 * libuv: watch it, never read it, never close it. It is closed when the agent is freed, so stop watching before.
 */
toolreeve_status toolreeve_agent_fd(const struct toolreeve_agent *agent,
                                    int32_t *fd);

/**
 * Waits until `toolreeve_agent_dispatch` has something to do or an event waits to be taken, at most for so many
 * milliseconds; a negative number waits without end. For programs without a loop of their own. Returns
 * `TOOLREEVE_STATUS_OK`, `TOOLREEVE_STATUS_TIMEOUT`, or `TOOLREEVE_STATUS_INTERRUPTED` after a signal; if the agent is freed
 * meanwhile, `TOOLREEVE_STATUS_INVALID_HANDLE`.
 */
toolreeve_status toolreeve_agent_wait(const struct toolreeve_agent *agent,
                                      int64_t timeout_ms);

/**
 * Begins to work on a prompt and returns at once. The run's events carry its number; the last one is `done`. Runs of
 * one agent wait for each other.
 */
toolreeve_status toolreeve_agent_run(const struct toolreeve_agent *agent,
                                     const char *prompt,
                                     size_t prompt_length,
                                     uint64_t *run_id,
                                     struct toolreeve_error **error);

/**
 * Goes on with a conversation whose last run ended as `deferred`: calls whose approvals are answered now run or are
 * refused, and the model is asked again once none waits any more. Events and end as of `toolreeve_agent_run`.
 */
toolreeve_status toolreeve_agent_resume(const struct toolreeve_agent *agent,
                                        uint64_t *run_id,
                                        struct toolreeve_error **error);

/**
 * Stops a run as the person would: running calls are cancelled, each request of the model still gets its result, and
 * the conversation stays valid. Returns at once; `done` follows. `TOOLREEVE_STATUS_NOT_WANTED` if it is not under way.
 */
toolreeve_status toolreeve_agent_interrupt(const struct toolreeve_agent *agent,
                                           uint64_t run_id);

/**
 * Runs the callbacks for what waits, in order, on this thread: at most `max`, or with 0 all that waits at this moment.
 * Never waits for anything but the callbacks. `handled` may be NULL; else it gets the number of what was handled.
 * Callbacks may call every function. One thread at a time: while callbacks are running, whoever else calls this, and
 * callbacks themselves, get `TOOLREEVE_STATUS_BUSY`. If a callback frees the agent, the rest is dropped.
 */
toolreeve_status toolreeve_agent_dispatch(struct toolreeve_agent *agent,
                                          size_t max,
                                          size_t *handled,
                                          struct toolreeve_error **error);

/**
 * Takes the next event that no callback heard: its run and its JSON, which is to be freed. `TOOLREEVE_STATUS_EMPTY` if
 * there is none; then dispatch brings more. Take until it is empty: the descriptor does not tell of events that
 * dispatch has brought already (`toolreeve_agent_wait` does).
 */
toolreeve_status toolreeve_agent_next_event(const struct toolreeve_agent *agent,
                                            uint64_t *run_id,
                                            struct toolreeve_string *event);

/**
 * Hands over a piece of a model's answer: bytes of its event stream (SSE), cut anywhere. Any thread.
 * `TOOLREEVE_STATUS_NOT_WANTED` says that the answer is complete or cancelled.
 */
toolreeve_status toolreeve_model_push(const struct toolreeve_agent *agent,
                                      uint64_t request_id,
                                      const char *data,
                                      size_t length);

/**
 * Hands over one event of a model's answer as JSON, instead of bytes of its stream. What is no JSON is refused and
 * ends the answer with a failure. Any thread.
 */
toolreeve_status toolreeve_model_push_event(const struct toolreeve_agent *agent,
                                            uint64_t request_id,
                                            const char *event,
                                            size_t event_length,
                                            struct toolreeve_error **error);

/**
 * The model's answer is complete. Any thread.
 */
toolreeve_status toolreeve_model_end(const struct toolreeve_agent *agent, uint64_t request_id);

/**
 * The model's answer failed; the run ends with the event `error` and these words. Any thread.
 */
toolreeve_status toolreeve_model_fail(const struct toolreeve_agent *agent,
                                      uint64_t request_id,
                                      const char *message,
                                      size_t message_length);

/**
 * Answers a tool with JSON: a string is a text for the model; an object has `content` (a string or content blocks),
 * and may have `is_error` and `structured`. Anything else is refused and fails the call. Any thread.
 */
toolreeve_status toolreeve_tool_answer(const struct toolreeve_agent *agent,
                                       uint64_t request_id,
                                       const char *answer,
                                       size_t answer_length,
                                       struct toolreeve_error **error);

/**
 * Answers a tool with plain text. Any thread.
 */
toolreeve_status toolreeve_tool_answer_text(const struct toolreeve_agent *agent,
                                            uint64_t request_id,
                                            const char *answer,
                                            size_t answer_length);

/**
 * A tool failed; the model reads these words as an error. Any thread.
 */
toolreeve_status toolreeve_tool_fail(const struct toolreeve_agent *agent,
                                     uint64_t request_id,
                                     const char *message,
                                     size_t message_length);

/**
 * Reports progress of a running tool: any JSON, which comes back in the event `tool_progress`. Any thread.
 */
toolreeve_status toolreeve_tool_progress(const struct toolreeve_agent *agent,
                                         uint64_t request_id,
                                         const char *data,
                                         size_t data_length,
                                         struct toolreeve_error **error);

/**
 * Answers a permission question with JSON: `{"behavior": "allow"}`, which may have `updated_input` and `rules` to save,
 * or `{"behavior": "deny"}`, which may have `message` and `interrupt`, or `{"behavior": "defer"}`, which may have
 * `expires_in` in seconds. Anything else is refused and denies the call. Any thread.
 */
toolreeve_status toolreeve_permission_answer(const struct toolreeve_agent *agent,
                                             uint64_t request_id,
                                             const char *answer,
                                             size_t answer_length,
                                             struct toolreeve_error **error);

/**
 * Answers for a hook with JSON in the public shape of hook output; `{}` has no opinion. Anything else is refused, and
 * before a call makes the person decide. Any thread.
 */
toolreeve_status toolreeve_hook_answer(const struct toolreeve_agent *agent,
                                       uint64_t request_id,
                                       const char *answer,
                                       size_t answer_length,
                                       struct toolreeve_error **error);

/**
 * Answers for the classifier with JSON: `{"verdict": "allow"}`, `"block"` or `"unsure"`, which may have `reason` and
 * `confidence` (`high`, `medium`, `low`); an allow counts only with high confidence, which is what is meant where none
 * is said. Anything else is refused and means unsure. Any thread.
 */
toolreeve_status toolreeve_classifier_answer(const struct toolreeve_agent *agent,
                                             uint64_t request_id,
                                             const char *answer,
                                             size_t answer_length,
                                             struct toolreeve_error **error);

/**
 * What the model is told about the tools: a JSON array in the shape of the Anthropic Messages API, which is to be freed.
 */
toolreeve_status toolreeve_agent_specs(const struct toolreeve_agent *agent,
                                       struct toolreeve_string *specs,
                                       struct toolreeve_error **error);

/**
 * Judges a call without running it and without asking anybody: the decision as JSON (`behavior`, `reason`, …), which is
 * to be freed.
 */
toolreeve_status toolreeve_agent_check(const struct toolreeve_agent *agent,
                                       const char *tool,
                                       size_t tool_length,
                                       const char *input,
                                       size_t input_length,
                                       struct toolreeve_string *decision,
                                       struct toolreeve_error **error);

/**
 * Runs calls that did not come from this agent's model, and returns at once. `calls` is a JSON array of objects with
 * `id`, `name` and `input`. Events carry the number of the run, the last one is `done`; then `toolreeve_agent_results`
 * has the results.
 */
toolreeve_status toolreeve_agent_call(const struct toolreeve_agent *agent,
                                      const char *calls,
                                      size_t calls_length,
                                      uint64_t *run_id,
                                      struct toolreeve_error **error);

/**
 * Takes the results of a `call` whose `done` has come: a JSON array with one result for each call, in order, which is
 * to be freed. `TOOLREEVE_STATUS_EMPTY` before that; `TOOLREEVE_STATUS_NOT_WANTED` if there is no such call or its results
 * were taken.
 */
toolreeve_status toolreeve_agent_results(const struct toolreeve_agent *agent,
                                         uint64_t run_id,
                                         struct toolreeve_string *results);

/**
 * The conversation so far: a JSON array of messages, which is to be freed. `TOOLREEVE_STATUS_BUSY` while a run is under
 * way.
 */
toolreeve_status toolreeve_agent_messages(const struct toolreeve_agent *agent,
                                          struct toolreeve_string *messages,
                                          struct toolreeve_error **error);

/**
 * The questions that were put off (`{"behavior": "defer"}`): a JSON array of approvals with `id`, `session_id`,
 * `created_at`, `expires_at`, `request` and `answer`, oldest first, which is to be freed. Each may be kept as text and
 * restored in another process.
 */
toolreeve_status toolreeve_agent_approvals(const struct toolreeve_agent *agent,
                                           struct toolreeve_string *approvals,
                                           struct toolreeve_error **error);

/**
 * Answers an approval: `answer` is a JSON object as for a permission question, with the behavior `allow` or `deny`.
 * `toolreeve_agent_resume` then goes on. `TOOLREEVE_STATUS_NOT_WANTED` if none with this id waits, it expired, or it has an
 * answer.
 */
toolreeve_status toolreeve_agent_answer_approval(const struct toolreeve_agent *agent,
                                                 const char *id,
                                                 size_t id_length,
                                                 const char *answer,
                                                 size_t answer_length,
                                                 struct toolreeve_error **error);

/**
 * Takes an approval away, answered or not: its call has to be asked for anew. `TOOLREEVE_STATUS_NOT_WANTED` if there is
 * none with this id.
 */
toolreeve_status toolreeve_agent_revoke_approval(const struct toolreeve_agent *agent,
                                                 const char *id,
                                                 size_t id_length,
                                                 struct toolreeve_error **error);

/**
 * Takes up an approval that was kept as JSON, for example by another process. One with the same id is replaced.
 */
toolreeve_status toolreeve_agent_restore_approval(const struct toolreeve_agent *agent,
                                                  const char *approval,
                                                  size_t approval_length,
                                                  struct toolreeve_error **error);

/**
 * Judges a bash command without an agent: `request` is a JSON object with `command` and more, the answer a JSON object
 * with `behavior`, `reason` and more, which is to be freed. The same bytes as `toolreeve check --jsonl` and the other
 * languages give. A bad request is answered with `{"error": {"kind", "message", "field"?}}`. Any thread.
 */
toolreeve_status toolreeve_check(const char *request,
                                 size_t request_length,
                                 struct toolreeve_string *answer);

/**
 * The part of a JSON text that a JSON Pointer names ("/a/0/b", "" for all), as JSON, which is to be freed.
 * `TOOLREEVE_STATUS_EMPTY` if there is none. Any thread.
 */
toolreeve_status toolreeve_json_get(const char *json,
                                    size_t json_length,
                                    const char *pointer,
                                    size_t pointer_length,
                                    struct toolreeve_string *value);

/**
 * Like `toolreeve_json_get`, for a string: its text, without quotes and escapes. `TOOLREEVE_STATUS_INVALID_ARGUMENT` if it
 * is no string. Any thread.
 */
toolreeve_status toolreeve_json_text(const char *json,
                                     size_t json_length,
                                     const char *pointer,
                                     size_t pointer_length,
                                     struct toolreeve_string *value);

/**
 * A text as a JSON string, with quotes and escapes, which is to be freed. Any thread.
 */
toolreeve_status toolreeve_json_quote(const char *plain,
                                      size_t plain_length,
                                      struct toolreeve_string *quoted);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* TOOLREEVE_H */
