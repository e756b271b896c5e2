//! The specification of a resource, before there is anything to test.

use super::graph::Graph;
use super::{Client, Policy, Resource};
use std::collections::BTreeSet;
use std::fmt::{self, Debug, Display, Write};

/// How many states are looked at, at most.
const STATES_MAX: usize = 200_000;

/// What is the case: the resource, who waits, and where everybody is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Config<S, C> {
    state: S,
    /// The clients that wait, the oldest first.
    queue: Vec<usize>,
    clients: Vec<Place<C>>,
}

/// Where a client is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Place<C> {
    place: usize,
    /// The call that it waits for, and where that leads.
    waits: Option<(C, usize)>,
}

/// What happens.
#[derive(Debug, Clone)]
enum Step {
    Calls { client: usize, shown: String },
    Returns { client: usize, shown: String },
}

/// Something that is wrong with a specification, and the shortest way there.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// A client calls what it must not.
    Precondition {
        /// Whose call it is.
        client: String,
        /// The call.
        call: String,
    },
    /// A state is reached that the invariant forbids.
    Invariant {
        /// The state.
        state: String,
        /// What led there.
        path: Vec<String>,
    },
    /// A call may run, but POST says nothing.
    NoPost {
        /// The call.
        call: String,
        /// The state.
        state: String,
        /// What led there.
        path: Vec<String>,
    },
    /// Everybody who has not finished waits for ever.
    Deadlock {
        /// The state.
        state: String,
        /// Who waits, and for which call.
        waiting: Vec<String>,
        /// What led there.
        path: Vec<String>,
    },
    /// Some wait for ever, whatever the others do, who go on.
    Lost {
        /// The state.
        state: String,
        /// Who waits, and for which call.
        waiting: Vec<String>,
        /// What led there.
        path: Vec<String>,
    },
    /// A call waits for ever, although it could run again and again.
    Starvation {
        /// Who waits, and for which call.
        waiting: String,
        /// What led there.
        path: Vec<String>,
        /// What then happens again and again.
        cycle: Vec<String>,
    },
    /// The calls of an operation can never run.
    NeverRuns {
        /// The operation.
        operation: String,
    },
}

impl Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let after = |f: &mut fmt::Formatter<'_>, path: &[String]| match path {
            [] => f.write_str("\n    in the beginning"),
            path => path.iter().try_for_each(|step| write!(f, "\n    {step}")),
        };
        match self {
            Problem::Precondition { client, call } => {
                write!(f, "{client} calls {call}, which its precondition (PRE) forbids")
            }
            Problem::Invariant { state, path } => {
                write!(f, "the invariant is broken in state {state}:")?;
                after(f, path)
            }
            Problem::NoPost { call, state, path } => {
                write!(f, "{call} may run in state {state}, but POST says nothing:")?;
                after(f, path)
            }
            Problem::Deadlock { state, waiting, path } => {
                write!(f, "deadlock in state {state}: {} for ever:", waiting.join(" and "))?;
                after(f, path)
            }
            Problem::Lost { state, waiting, path } => {
                let waiting = waiting.join(" and ");
                write!(f, "in state {state} {waiting} for ever, whatever the others do:")?;
                after(f, path)
            }
            Problem::Starvation { waiting, path, cycle } => {
                write!(f, "starvation: {waiting} for ever, although it may run again and again:")?;
                after(f, path)?;
                f.write_str("\n  and then, again and again:")?;
                after(f, cycle)
            }
            Problem::NeverRuns { operation } => {
                write!(
                    f,
                    "`{operation}` is called, but can never run: its CPRE never holds, or its policy never lets it"
                )
            }
        }
    }
}

/// What has been found out about a specification.
#[derive(Debug)]
pub struct Validation {
    /// What is wrong, the worst first.
    pub problems: Vec<Problem>,
    /// How many states were reached, of resource, policy and clients together.
    pub states: usize,
    /// How many steps lead from one to another.
    pub steps: usize,
    /// Whether all states were looked at.
    pub is_complete: bool,
    dot: String,
}

impl Validation {
    /// Whether nothing is wrong in all that can be reached.
    pub fn is_good(&self) -> bool {
        self.problems.is_empty() && self.is_complete
    }

    /// The states and steps as a graph in the language of Graphviz.
    pub fn dot(&self) -> &str {
        &self.dot
    }
}

impl Display for Validation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Validation { states, steps, .. } = self;
        match (self.problems.is_empty(), self.is_complete) {
            (true, true) => write!(f, "valid: all {states} states and {steps} steps of these clients"),
            (true, false) => write!(f, "nothing wrong in {states} states; there are more"),
            (false, _) => {
                write!(f, "invalid: looked at {states} states")?;
                self.problems.iter().try_for_each(|problem| write!(f, "\n✗ {problem}"))
            }
        }
    }
}

/// Explores a specification with some clients: all orders in which they may call, and in which their calls may run.
///
/// Found are: broken invariants, deadlocks (everybody who has not finished waits), calls that can never run any more although others
/// go on, starvation (somebody may wait for ever although his call
/// could run again and again), operations that never run, calls that POST says nothing about. Each with a shortest way there.
pub fn validate<R: Resource>(resource: &R, policy: &Policy<R>, clients: &[Client<R>]) -> Validation {
    let session = Session { resource, policy, clients };
    let idle = Place { place: 0, waits: None };
    let start = Config { state: resource.start(), queue: Vec::new(), clients: vec![idle; clients.len()] };
    let mut forbidden = BTreeSet::new();
    let graph = Graph::explore(start, STATES_MAX, |config, next| session.steps(config, next, &mut forbidden));
    let mut problems: Vec<Problem> = forbidden
        .into_iter()
        .map(|(client, call)| Problem::Precondition { client: clients[client].name.clone(), call })
        .collect();
    problems.extend(session.broken(&graph));
    problems.extend(session.silent(&graph));
    // (Whoever is stuck when all are need not be told twice.)
    problems.extend(session.stuck(&graph).or_else(|| session.lost(&graph)));
    problems.extend(session.starving(&graph));
    problems.extend(session.never(&graph));
    Validation {
        problems,
        states: graph.nodes.len(),
        steps: graph.edges.iter().map(Vec::len).sum(),
        is_complete: graph.is_complete,
        dot: session.dot(&graph),
    }
}

/// So many states are drawn, the first ones: more than that nobody can look at.
const DRAWN_MAX: usize = 1000;

struct Session<'a, R: Resource> {
    resource: &'a R,
    policy: &'a Policy<R>,
    clients: &'a [Client<R>],
}

type ConfigOf<R> = Config<<R as Resource>::State, <R as Resource>::Call>;
type GraphOf<R> = Graph<ConfigOf<R>, Step>;

impl<R: Resource> Session<'_, R> {
    fn steps(
        &self,
        config: &ConfigOf<R>,
        next: &mut Vec<(Step, ConfigOf<R>)>,
        forbidden: &mut BTreeSet<(usize, String)>,
    ) {
        if !self.resource.invariant(&config.state) {
            // What comes after that is of no interest.
            return;
        }
        // (What runs first makes for the story that is easier to read.)
        for (place, &client) in config.queue.iter().enumerate() {
            let Some((call, to)) = &config.clients[client].waits else { continue };
            if !self.may_run(config, place) {
                continue;
            }
            for (state, value) in self.resource.post(&config.state, call) {
                let mut after = config.clone();
                after.state = state;
                after.queue.remove(place);
                after.clients[client] = Place { place: *to, waits: None };
                let shown = match format!("{value:?}").as_str() {
                    "()" => format!("{call:?}"),
                    value => format!("{call:?} → {value}"),
                };
                next.push((Step::Returns { client, shown }, after));
            }
        }
        for (client, place) in config.clients.iter().enumerate().filter(|(_, place)| place.waits.is_none()) {
            for (call, to) in self.clients[client].calls_in(place.place) {
                let shown = format!("{call:?}");
                if !self.resource.pre(&call) {
                    forbidden.insert((client, shown));
                    continue;
                }
                let mut after = config.clone();
                after.clients[client].waits = Some((call, to));
                after.queue.push(client);
                if !self.policy.is_by_age() {
                    after.queue.sort_unstable();
                }
                next.push((Step::Calls { client, shown }, after));
            }
        }
    }

    /// The calls that wait, the oldest first.
    fn queue<'c>(&self, config: &'c ConfigOf<R>) -> Vec<&'c R::Call> {
        let calls = config.queue.iter().filter_map(|client| config.clients[*client].waits.as_ref());
        calls.map(|(call, _)| call).collect()
    }

    /// Whether the call in a place of the queue may run: CPRE and ENABLED.
    fn may_run(&self, config: &ConfigOf<R>, place: usize) -> bool {
        let queue = self.queue(config);
        self.resource.cpre(&config.state, queue[place])
            && self.policy.enables(self.resource, &config.state, &queue, place)
    }

    fn broken(&self, graph: &GraphOf<R>) -> Option<Problem> {
        let broken = |node: &usize| !self.resource.invariant(&graph.nodes[*node].state);
        let node = (0..graph.nodes.len()).find(broken)?;
        let state = format!("{:?}", graph.nodes[node].state);
        Some(Problem::Invariant { state, path: self.told(&graph.path_to(node)) })
    }

    /// The first state without a step in which somebody waits.
    fn stuck(&self, graph: &GraphOf<R>) -> Option<Problem> {
        let is_stuck = |node: &usize| {
            let config = &graph.nodes[*node];
            graph.edges[*node].is_empty()
                && !config.queue.is_empty()
                && self.resource.invariant(&config.state)
                && (0..config.queue.len()).all(|place| !self.may_run(config, place))
                // Somebody else could go on, past the limit.
                && config.clients.iter().zip(self.clients).all(|(at, client)| at.waits.is_some() || client.calls_in(at.place).is_empty())
        };
        let node = (0..graph.nodes.len()).find(is_stuck)?;
        let config = &graph.nodes[node];
        let (state, path) = (format!("{:?}", config.state), self.told(&graph.path_to(node)));
        let waiting = config.queue.iter().map(|client| self.waiting(config, *client)).collect();
        Some(Problem::Deadlock { state, waiting, path })
    }

    /// The first state in which somebody waits whose call can never run any more, and somebody else goes on.
    fn lost(&self, graph: &GraphOf<R>) -> Option<Problem> {
        // What lies past the limit could let him run.
        if !graph.is_complete || self.broken(graph).is_some() || self.silent(graph).is_some() {
            return None;
        }
        let lost: Vec<Vec<bool>> = (0..self.clients.len())
            .map(|client| {
                let mut lost = vec![true; graph.nodes.len()];
                let returns =
                    |step: &Step| matches!(step, Step::Returns { client: who, .. } if *who == client);
                let mut before = vec![Vec::new(); graph.nodes.len()];
                let mut saved = Vec::new();
                for (from, edges) in graph.edges.iter().enumerate() {
                    for (to, step) in edges {
                        before[*to].push(from);
                        if returns(step) {
                            saved.push(from);
                        }
                    }
                }
                while let Some(node) = saved.pop() {
                    if std::mem::replace(&mut lost[node], false) {
                        saved.extend(&before[node]);
                    }
                }
                lost
            })
            .collect();
        let are_lost = |node: usize| {
            let queue = graph.nodes[node].queue.iter();
            queue.copied().filter(|client| lost[*client][node]).collect::<Vec<usize>>()
        };
        let node = (0..graph.nodes.len()).find(|node| !are_lost(*node).is_empty())?;
        let config = &graph.nodes[node];
        let waiting = are_lost(node).into_iter().map(|client| self.waiting(config, client)).collect();
        Some(Problem::Lost {
            state: format!("{:?}", config.state),
            waiting,
            path: self.told(&graph.path_to(node)),
        })
    }

    /// The first call that may run and does nothing.
    fn silent(&self, graph: &GraphOf<R>) -> Option<Problem> {
        let nodes =
            graph.nodes.iter().enumerate().filter(|(_, config)| self.resource.invariant(&config.state));
        nodes.into_iter().find_map(|(node, config)| {
            let queue = self.queue(config);
            let silent = |place: &usize| {
                self.may_run(config, *place) && self.resource.post(&config.state, queue[*place]).is_empty()
            };
            let call = format!("{:?}", queue[(0..queue.len()).find(silent)?]);
            let (state, path) = (format!("{:?}", config.state), self.told(&graph.path_to(node)));
            Some(Problem::NoPost { call, state, path })
        })
    }

    fn waiting(&self, config: &ConfigOf<R>, client: usize) -> String {
        let call = config.clients[client].waits.as_ref().map(|(call, _)| format!("{call:?}"));
        format!("{} waits for {}", self.clients[client].name, call.unwrap_or_default())
    }

    /// Somebody who waits in a cycle in which his call may run, as far as the state is concerned; one for each operation.
    fn starving(&self, graph: &GraphOf<R>) -> Vec<Problem> {
        let mut problems = Vec::new();
        let mut known = BTreeSet::new();
        for client in 0..self.clients.len() {
            let call_in =
                |node: usize| graph.nodes[node].clients[client].waits.as_ref().map(|(call, _)| call);
            let starving = graph.cycle(
                |from, _, to| call_in(from).is_some() && call_in(from) == call_in(to),
                |node| call_in(node).is_some_and(|call| self.resource.cpre(&graph.nodes[node].state, call)),
            );
            let Some((node, cycle)) = starving else { continue };
            let operation = call_in(node).map(|call| self.resource.operation(call)).unwrap_or_default();
            if known.insert(operation) {
                problems.push(Problem::Starvation {
                    waiting: self.waiting(&graph.nodes[node], client),
                    path: self.told(&graph.path_to(node)),
                    cycle: self.told(&cycle),
                });
            }
        }
        problems
    }

    /// Operations that are called and never run.
    fn never(&self, graph: &GraphOf<R>) -> Vec<Problem> {
        if !graph.is_complete {
            return Vec::new();
        }
        let (mut called, mut ran) = (BTreeSet::new(), BTreeSet::new());
        for (config, edges) in graph.nodes.iter().zip(&graph.edges) {
            let calls = config.clients.iter().filter_map(|place| place.waits.as_ref());
            called.extend(calls.map(|(call, _)| self.resource.operation(call)));
            for (_, step) in edges {
                if let Step::Returns { client, .. } = step
                    && let Some((call, _)) = &config.clients[*client].waits
                {
                    ran.insert(self.resource.operation(call));
                }
            }
        }
        called.difference(&ran).map(|operation| Problem::NeverRuns { operation: operation.clone() }).collect()
    }

    fn told(&self, steps: &[&Step]) -> Vec<String> {
        steps.iter().map(|step| self.step(step)).collect()
    }

    fn step(&self, step: &Step) -> String {
        match step {
            Step::Calls { client, shown } => format!("{} calls {shown}", self.clients[*client].name),
            Step::Returns { client, shown } => format!("{} runs {shown}", self.clients[*client].name),
        }
    }

    fn dot(&self, graph: &GraphOf<R>) -> String {
        let mut dot = String::from("digraph resource {\n");
        for (node, config) in graph.nodes.iter().enumerate().take(DRAWN_MAX) {
            let waiting: Vec<String> = self.queue(config).iter().map(|call| format!("{call:?}")).collect();
            let label = format!("{:?}\n{}", config.state, waiting.join(", "));
            let _ = writeln!(dot, "  s{node} [label={label:?}];");
        }
        for (from, edges) in graph.edges.iter().enumerate().take(DRAWN_MAX) {
            for (to, step) in edges.iter().filter(|(to, _)| *to < DRAWN_MAX) {
                let _ = writeln!(dot, "  s{from} -> s{to} [label={:?}];", self.step(step));
            }
        }
        dot.push_str("}\n");
        dot
    }
}
