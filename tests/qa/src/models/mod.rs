//! The models whose names and signatures are the same in all runs.

mod add_sub;
mod identity;
mod life_cycle;
mod llm;
mod optional;
mod parameters;
mod repeat;
mod sequence;
