//! The pages of the book and the README, so that their examples are tests.

#[doc = include_str!("../../../book/src/howto-async.md")]
mod howto_async {}

#[doc = include_str!("../../../book/src/howto-containment.md")]
mod howto_containment {}

#[doc = include_str!("../../../book/src/howto-callouts.md")]
mod howto_callouts {}

#[doc = include_str!("../../../book/src/howto-corpus.md")]
mod howto_corpus {}

#[doc = include_str!("../../../book/src/howto-derive.md")]
mod howto_derive {}

#[doc = include_str!("../../../book/src/howto-fuzzing.md")]
mod howto_fuzzing {}

#[doc = include_str!("../../../book/src/howto-generators.md")]
mod howto_generators {}

#[doc = include_str!("../../../book/src/howto-streams.md")]
mod howto_streams {}

#[doc = include_str!("../../../book/src/howto-data.md")]
mod howto_data {}

#[doc = include_str!("../../../book/src/howto-histories.md")]
mod howto_histories {}

#[doc = include_str!("../../../book/src/howto-java.md")]
mod howto_java {}

#[doc = include_str!("../../../book/src/howto-logic.md")]
mod howto_logic {}

#[doc = include_str!("../../../book/src/howto-machines.md")]
mod howto_machines {}

#[doc = include_str!("../../../book/src/howto-models.md")]
mod howto_models {}

#[doc = include_str!("../../../book/src/howto-resources.md")]
mod howto_resources {}

#[doc = include_str!("../../../book/src/howto-statistics.md")]
mod howto_statistics {}

#[doc = include_str!("../../../book/src/howto-target.md")]
mod howto_target {}

#[doc = include_str!("../../../book/src/howto-threads.md")]
mod howto_threads {}

#[doc = include_str!("../../../book/src/introduction.md")]
mod introduction {}

#[doc = include_str!("../../../book/src/reference-environment.md")]
mod reference_environment {}

#[doc = include_str!("../../../book/src/reference-formats.md")]
mod reference_formats {}

#[doc = include_str!("../../../book/src/reference-settings.md")]
mod reference_settings {}

#[doc = include_str!("../../../book/src/reference-truth.md")]
mod reference_truth {}

#[doc = include_str!("../../../book/src/reference-types.md")]
mod reference_types {}

#[doc = include_str!("../../../book/src/reference-verdicts.md")]
mod reference_verdicts {}

#[doc = include_str!("../../../book/src/tutorial-counterexample.md")]
mod tutorial_counterexample {}

#[doc = include_str!("../../../book/src/tutorial-first-property.md")]
mod tutorial_first_property {}

#[doc = include_str!("../../../book/src/tutorial-proof.md")]
mod tutorial_proof {}

#[doc = include_str!("../../../book/src/tutorial-replay.md")]
mod tutorial_replay {}

#[doc = include_str!("../../../book/src/tutorial-shrinking.md")]
mod tutorial_shrinking {}

#[doc = include_str!("../../../book/src/why-choices.md")]
mod why_choices {}

#[doc = include_str!("../../../book/src/why-enumeration.md")]
mod why_enumeration {}

#[doc = include_str!("../../../book/src/why-shrinking.md")]
mod why_shrinking {}

#[doc = include_str!("../../../book/src/why-two-kinds.md")]
mod why_two_kinds {}

#[doc = include_str!("../../../book/src/why-verdicts.md")]
mod why_verdicts {}

#[doc = include_str!("../../../README.md")]
mod readme {}

#[cfg(feature = "msg")]
#[doc = include_str!("../../../book/src/howto-messages.md")]
mod howto_messages {}
