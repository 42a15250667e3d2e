//! The integration tests of the facade, in one binary.

mod agent_loop;
