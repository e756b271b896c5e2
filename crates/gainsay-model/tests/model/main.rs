//! Tests of models, machines and histories, through what users see.

mod refinement;
