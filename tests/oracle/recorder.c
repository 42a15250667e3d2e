/* toolreeve soundness oracle: recording preload + fork server.
 *
 * Loaded with LD_PRELOAD into an UNMODIFIED shell (bash 4.4+/5.x gives builtin records too; dash, zsh, mksh,
 * busybox ash give exec + open records).  The constructor runs before main(); it serves one command string per
 * request: fork(), the child overwrites argv[2] of `SHELL -c PLACEHOLDER` and returns into the shell's own main.
 * Nothing real ever runs: execve() is recorded and answered by a stub exit status, opens are recorded and answered
 * by memfds, kill/connect/unlink/chdir are recorded and denied (chdir pretends).  Records go into shared memory, so
 * the shell under test sees no extra file descriptor.
 *
 * Record: u32 total_len | u8 kind | payload (NUL separated strings)
 *   B builtin + argv      X exec: path + argv     W open for write: path     R open for read: path
 *   C chdir: path         K kill: "pid sig"       N network: host/port       U unlink/rename: path
 *   E interesting env var of an exec (LD_*, PATH, BASH_ENV, ...): NAME=VALUE, follows its X
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SHM_SIZE (1u << 20)
#define MAX_EVENTS 300
struct shm { uint32_t off; uint32_t nev; uint32_t nexec; uint32_t truncated; char buf[SHM_SIZE - 16]; };
static struct shm *S;
static int armed;               /* recording on (child side only) */
static uint64_t status_mask;    /* bit i = exit status of i-th exec (mod 64) */
static char stub_out[256];
static int stub_out_len;
static const char *read_text = "";
static int CTL_IN = 198, CTL_OUT = 199;

static void rec(char kind, int n, const char *const *strs) {
  if (!armed || !S) return;
  uint32_t len = 5;
  for (int i = 0; i < n; i++) len += strlen(strs[i]) + 1;
  uint32_t ev = __atomic_fetch_add(&S->nev, 1, __ATOMIC_SEQ_CST);
  if (ev >= MAX_EVENTS || len > sizeof S->buf / 4) { S->truncated = 1; if (ev >= MAX_EVENTS) _exit(99); return; }
  uint32_t o = __atomic_fetch_add(&S->off, len, __ATOMIC_SEQ_CST);
  if (o + len > sizeof S->buf) { S->truncated = 1; _exit(99); }
  char *p = S->buf + o;
  p[4] = kind; char *q = p + 5;
  for (int i = 0; i < n; i++) { size_t l = strlen(strs[i]) + 1; memcpy(q, strs[i], l); q += l; }
  memcpy(p, &len, 4);
}
static void rec1(char k, const char *s) { rec(k, 1, &s); }

/* ---------- bash builtins: wrap every function pointer in shell_builtins[] ---------- */
typedef struct word_desc { char *word; int flags; } WORD_DESC;
typedef struct word_list { struct word_list *next; WORD_DESC *word; } WORD_LIST;
typedef int bfn(WORD_LIST *);
struct builtin { char *name; bfn *function; int flags; char *const *long_doc; const char *short_doc; char *handle; };
#define SLOTS 96
static bfn *orig[SLOTS]; static const char *bname[SLOTS]; static bfn **p_this;
static int enter(int i, WORD_LIST *l) {
  const char *v[512]; int n = 0; v[n++] = bname[i];
  for (WORD_LIST *w = l; w && n < 511; w = w->next) v[n++] = w->word->word;
  rec('B', n, v);
  if (p_this) *p_this = orig[i];
  return orig[i](l);
}
#define W1(i) static int w##i(WORD_LIST *l) { return enter(i, l); }
#define T10(d) W1(d##0) W1(d##1) W1(d##2) W1(d##3) W1(d##4) W1(d##5) W1(d##6) W1(d##7) W1(d##8) W1(d##9)
T10() T10(1) T10(2) T10(3) T10(4) T10(5) T10(6) T10(7) T10(8) W1(90) W1(91) W1(92) W1(93) W1(94) W1(95)
#define P10(d) w##d##0,w##d##1,w##d##2,w##d##3,w##d##4,w##d##5,w##d##6,w##d##7,w##d##8,w##d##9
static bfn *wrappers[SLOTS] = { P10(),P10(1),P10(2),P10(3),P10(4),P10(5),P10(6),P10(7),P10(8),w90,w91,w92,w93,w94,w95 };
static int wrap_builtins(void) {
  struct builtin **pb = dlsym(RTLD_DEFAULT, "shell_builtins"); int *pn = dlsym(RTLD_DEFAULT, "num_shell_builtins");
  p_this = dlsym(RTLD_DEFAULT, "this_shell_builtin");
  if (!pb || !*pb || !pn) return 0;
  struct builtin *b = *pb; int k = 0;
  for (int i = 0; i < *pn && k < SLOTS && b[i].name; i++) {
    if (!b[i].function || !strcmp(b[i].name, "exec")) continue;  /* exec: redirections must persist; args seen as X */
    orig[k] = b[i].function; bname[k] = b[i].name; b[i].function = wrappers[k]; k++;
  }
  return k;
}

/* ---------- interposed calls ---------- */
static int is_startup_path(const char *p) { return !strcmp(p, "/dev/tty") || !strncmp(p, "/etc/zsh/", 9) || !strncmp(p, "/usr/share/locale", 17); }
static int memfd_with(const char *text) {
  int fd = syscall(SYS_memfd_create, "m", 0);
  if (fd >= 0 && *text) { (void)!write(fd, text, strlen(text)); lseek(fd, 0, SEEK_SET); }
  return fd;
}
static int real_open(const char *p, int fl, mode_t m) { return syscall(SYS_openat, AT_FDCWD, p, fl, m); }
static int do_open(const char *p, int fl, mode_t m) {
  if (!armed || is_startup_path(p)) return real_open(p, fl, m);
  if (strstr(p, "sh-thd") ) return real_open(p, fl, m);           /* here-document temp file of the shell itself */
  int wr = (fl & O_ACCMODE) != O_RDONLY || (fl & (O_CREAT | O_TRUNC));
  rec1(wr ? 'W' : 'R', p);
  if (!strncmp(p, "/dev/fd/", 8) || !strcmp(p, "/dev/null") || !strncmp(p, "/proc/self/fd/", 14)) return real_open(p, fl, m);
  if (fl & O_DIRECTORY) return real_open(p, fl, m);
  return memfd_with(wr ? "" : read_text);
}
#define OPENFN(name) int name(const char *p, int fl, ...) { mode_t m = 0; if (fl & O_CREAT) { va_list a; va_start(a, fl); m = va_arg(a, int); va_end(a);} return do_open(p, fl, m); }
OPENFN(open) OPENFN(open64)
int creat(const char *p, mode_t m) { return do_open(p, O_CREAT | O_WRONLY | O_TRUNC, m); }
FILE *fopen(const char *p, const char *mode) {
  static FILE *(*r)(const char *, const char *); if (!r) r = dlsym(RTLD_NEXT, "fopen");
  if (!armed || is_startup_path(p)) return r(p, mode);
  int fd = do_open(p, mode[0] == 'r' && !strchr(mode, '+') ? O_RDONLY : O_RDWR | O_CREAT, 0600);
  return fd < 0 ? NULL : fdopen(fd, mode);
}
int execve(const char *path, char *const argv[], char *const envp[]) {
  const char *v[4096]; int n = 0; v[n++] = path;
  for (int i = 0; argv && argv[i] && n < 4095; i++) v[n++] = argv[i];
  rec('X', n, v);
  static const char *watch[] = {"LD_", "BASH_ENV", "ENV=", "IFS=", "GIT_", "PAGER", "EDITOR", "PYTHON", "NODE_OPTIONS", "PERL", "RUBY", 0};
  for (int i = 0; envp && envp[i]; i++) for (int k = 0; watch[k]; k++)
    if (!strncmp(envp[i], watch[k], strlen(watch[k])) && !strstr(envp[i], "recorder.so")) rec1('E', envp[i]);
  for (int i = 0; envp && envp[i]; i++) if (!strncmp(envp[i], "PATH=", 5) && strcmp(envp[i], "PATH=/x")) rec1('E', envp[i]);
  uint32_t i = S ? __atomic_fetch_add(&S->nexec, 1, __ATOMIC_SEQ_CST) : 0;
  if (stub_out_len) (void)!write(1, stub_out, stub_out_len);
  _exit((status_mask >> (i & 63)) & 1);
}
int execv(const char *p, char *const a[]) { extern char **environ; return execve(p, a, environ); }
int execvp(const char *p, char *const a[]) { extern char **environ; return execve(p, a, environ); }
/* every NAME below the virtual PATH directory /x exists and is executable */
static int virt(const char *p) { return armed && !strncmp(p, "/x/", 3) && p[3] && !strchr(p + 3, '/'); }
static void fill(struct stat *st) { memset(st, 0, sizeof *st); st->st_mode = S_IFREG | 0755; st->st_nlink = 1; st->st_size = 1; st->st_ino = 7; }
int stat(const char *p, struct stat *st) { if (virt(p)) { fill(st); return 0; } return syscall(SYS_newfstatat, AT_FDCWD, p, st, 0); }
int stat64(const char *p, struct stat64 *st) { return stat(p, (struct stat *)st); }
int lstat(const char *p, struct stat *st) { if (virt(p)) { fill(st); return 0; } return syscall(SYS_newfstatat, AT_FDCWD, p, st, AT_SYMLINK_NOFOLLOW); }
int access(const char *p, int m) { if (virt(p)) return 0; return syscall(SYS_access, p, m); }
int eaccess(const char *p, int m) { if (virt(p)) return 0; return syscall(SYS_access, p, m); }
int faccessat(int d, const char *p, int m, int f) { if (virt(p)) return 0; return syscall(SYS_faccessat, d, p, m); }
int chdir(const char *p) { if (!armed) return syscall(SYS_chdir, p); rec1('C', p); return syscall(SYS_chdir, p); }
int kill(pid_t p, int s) { if (!armed) return syscall(SYS_kill, p, s); if (p == getpid()) return syscall(SYS_kill, p, s);
  char b[48]; snprintf(b, sizeof b, "%d %d", (int)p, s); rec1('K', b); return 0; }
int killpg(pid_t p, int s) { return kill(-p, s); }
int unlink(const char *p) { if (!armed || strstr(p, "sh-thd")) return syscall(SYS_unlink, p); rec1('U', p); return 0; }
int rename(const char *a, const char *b) { if (!armed) return syscall(SYS_rename, a, b); rec1('U', a); rec1('W', b); return 0; }
int connect(int fd, const struct sockaddr *a, socklen_t l) { rec1('N', "connect"); errno = ECONNREFUSED; return -1; }
int getaddrinfo(const char *n, const char *s, const void *h, void **r) { char b[300]; snprintf(b, sizeof b, "%s:%s", n ? n : "", s ? s : ""); rec1('N', b); return -2; }
void *dlopen(const char *f, int fl) { static void *(*r)(const char *, int); if (!r) r = dlsym(RTLD_NEXT, "dlopen");
  if (armed && f) { rec1('X', f); return NULL; } return r(f, fl); }

/* ---------- fork server ---------- */
static int rd(void *b, size_t n) { char *p = b; while (n) { ssize_t k = read(CTL_IN, p, n); if (k <= 0) { if (k < 0 && errno == EINTR) continue; return 0; } p += k; n -= k; } return 1; }
static void wr(const void *b, size_t n) { const char *p = b; while (n) { ssize_t k = write(CTL_OUT, p, n); if (k <= 0) _exit(3); p += k; n -= k; } }
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + t.tv_nsec / 1e9; }

__attribute__((constructor)) static void init(int argc, char **argv, char **envp) {
  if (!getenv("TOOLREEVE_ORACLE")) return;
  double tmo = getenv("TOOLREEVE_TIMEOUT") ? atof(getenv("TOOLREEVE_TIMEOUT")) : 1.0;
  if (getenv("TOOLREEVE_READ_TEXT")) read_text = strdup(getenv("TOOLREEVE_READ_TEXT"));
  unsetenv("TOOLREEVE_ORACLE"); unsetenv("TOOLREEVE_TIMEOUT"); unsetenv("TOOLREEVE_READ_TEXT"); unsetenv("LD_PRELOAD");
  S = mmap(0, SHM_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  uint32_t nb = wrap_builtins();
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  sigset_t cs; sigemptyset(&cs); sigaddset(&cs, SIGCHLD); sigprocmask(SIG_BLOCK, &cs, 0);
  wr(&nb, 4);
  for (;;) {
    uint32_t h[2]; uint64_t mask;                 /* cmd_len, stub_len, mask */
    if (!rd(h, 8) || !rd(&mask, 8)) _exit(0);
    char *cmd = malloc(h[0] + 1); if (!cmd || !rd(cmd, h[0])) _exit(2); cmd[h[0]] = 0;
    stub_out_len = h[1] > 255 ? 255 : h[1]; if (!rd(stub_out, h[1])) _exit(2);
    S->off = S->nev = S->nexec = S->truncated = 0; status_mask = mask;
    pid_t pid = fork();
    if (pid == 0) {
      close(CTL_IN); close(CTL_OUT); setpgid(0, 0); sigprocmask(SIG_UNBLOCK, &cs, 0);
      prctl(PR_SET_CHILD_SUBREAPER, 0); prctl(PR_SET_PDEATHSIG, SIGKILL);
      struct rlimit r = {2, 2}; setrlimit(RLIMIT_CPU, &r); r.rlim_cur = r.rlim_max = 1 << 20; setrlimit(RLIMIT_FSIZE, &r);
      r.rlim_cur = r.rlim_max = 512u << 20; setrlimit(RLIMIT_AS, &r); r.rlim_cur = r.rlim_max = 64; setrlimit(RLIMIT_NPROC, &r);
      for (int i = 1; i < argc; i++) if (!strcmp(argv[i], "TOOLREEVE_PLACEHOLDER")) argv[i] = cmd;
      armed = 1; return;                          /* into the shell's main() */
    }
    free(cmd);
    int st = 0, main_st = -1, timed = 0; double end = now() + tmo;
    for (;;) {
      pid_t w = waitpid(-1, &st, WNOHANG);
      if (w == pid) { main_st = st; continue; }
      if (w > 0) continue;
      if (w < 0) break;                           /* ECHILD: whole tree gone */
      double left = end - now();
      if (left <= 0) { timed = 1; kill(-pid, SIGKILL); syscall(SYS_kill, pid, SIGKILL);
        /* stragglers that left the group: they are our children through the subreaper */
        char path[64], buf[4096]; snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
        int f = real_open(path, O_RDONLY, 0); ssize_t k = f >= 0 ? read(f, buf, 4095) : 0; if (f >= 0) close(f);
        if (k > 0) { buf[k] = 0; for (char *q = strtok(buf, " "); q; q = strtok(0, " ")) syscall(SYS_kill, atoi(q), SIGKILL); }
        end = now() + 0.05; continue; }
      struct timespec ts = { 0, left > 0.02 ? 20000000 : (long)(left * 1e9) + 1 };
      sigtimedwait(&cs, 0, &ts);
    }
    uint32_t out[4] = { main_st >= 0 && WIFEXITED(main_st) ? WEXITSTATUS(main_st) : 256u + (main_st >= 0 ? WTERMSIG(main_st) : 0), timed, S->truncated, S->off > sizeof S->buf ? 0 : S->off };
    wr(out, 16); wr(S->buf, out[3]);
  }
}
