//! A story for each bug: the correct rover comes through it, and the one with the bug does not.

use super::*;
use crate::message::{Alarm, Goal, Input, Mode, Output, Point};
use crate::rover::Rover;
use crate::time::Time;

const CREEP: Input = Input::Mode(Mode::Creep);
const CRUISE: Input = Input::Mode(Mode::Cruise);
const PARKED: Input = Input::Mode(Mode::Parked);
const HERE: Point = Point { x: 2.5, y: -1.0 };

fn laser(dist: f64) -> Input {
    Input::Laser(dist)
}

fn goal(id: u32, x: f64) -> Input {
    Input::Goal(Goal { id, place: Point { x, ..HERE } })
}

fn bumper(side: u8, pressed: bool) -> Input {
    Input::Bumper { side, pressed }
}

fn at(ms: f64) -> Time {
    Time::from_ms(ms).expect("a time of the first day")
}

/// What is said by the end of the story.
fn said(bug: Option<Bug>, story: &[(f64, Input)], end_ms: f64) -> Vec<(Time, Output)> {
    let mut rover = Rover::new(bug);
    for (ms, input) in story {
        assert!(rover.hear(at(*ms), Some(*input)));
    }
    rover.advance_to(at(end_ms));
    rover.take_said()
}

/// Whether a rover said something of a kind in the half-open window, first the correct one, then the other.
fn told(
    bug: Bug,
    story: &[(f64, Input)],
    window_ms: (f64, f64),
    is_of_kind: impl Fn(&Output) -> bool,
) -> [bool; 2] {
    let in_window = |time: Time| at(window_ms.0) <= time && time < at(window_ms.1);
    [None, Some(bug)].map(|bug| {
        let said = said(bug, story, window_ms.1);
        said.iter().any(|(time, output)| in_window(*time) && is_of_kind(output))
    })
}

fn speed(output: &Output) -> Option<f64> {
    if let Output::Velocity { speed, .. } = output { Some(*speed) } else { None }
}

fn is_forward(output: &Output) -> bool {
    speed(output) > Some(0.0)
}

#[test]
fn bug_1_an_obstacle_at_40_cm() {
    let is_stop = |output: &Output| speed(output) == Some(0.0);
    let story = |dist| [(0.0, CRUISE), (250.0, laser(dist))];
    assert_eq!(told(Bug::LimitLeftOut, &story(40.0), (250.0, 350.0), is_stop), [true, false]);
    assert_eq!(told(Bug::LimitLeftOut, &story(39.9), (250.0, 350.0), is_stop), [true, true]);
    assert_eq!(told(Bug::LimitLeftOut, &story(40.1), (250.0, 350.0), is_stop), [false, false]);
}

#[test]
fn bug_2_a_goal_while_parked_again() {
    let story = [(0.0, PARKED), (50.0, CRUISE), (400.0, PARKED), (500.0, goal(1, 9.0))];
    assert_eq!(told(Bug::ParksOnce, &story, (500.0, 1000.0), is_forward), [false, true]);
    assert_eq!(told(Bug::ParksOnce, &story[1..], (500.0, 1000.0), is_forward), [false, false]);
}

#[test]
fn bug_3_another_bumper_is_pressed_and_released() {
    let story =
        [(0.0, CRUISE), (150.0, bumper(0, true)), (160.0, bumper(2, true)), (200.0, bumper(2, false))];
    assert_eq!(told(Bug::LastBumperOnly, &story, (150.0, 1000.0), is_forward), [false, true]);
    let story = [story[0], story[1], story[3]];
    assert_eq!(told(Bug::LastBumperOnly, &story, (150.0, 1000.0), is_forward), [false, false]);
}

#[test]
fn bug_4_creeping_is_demanded_twice() {
    let is_fast = |output: &Output| speed(output) > Some(0.2);
    let story = [(0.0, CREEP), (600.0, CREEP), (700.0, CRUISE)];
    assert_eq!(told(Bug::CreepNotProlonged, &story, (600.0, 1600.0), is_fast), [false, true]);
    let story = [(0.0, CREEP), (1000.0, CREEP), (1100.0, CRUISE)];
    assert_eq!(told(Bug::CreepNotProlonged, &story, (1000.0, 2000.0), is_fast), [false, false]);
}

#[test]
fn bug_5_the_laser_measures_the_same_again() {
    let is_lost = |output: &Output| *output == Output::Alarm(Alarm::LaserLost);
    let story = |again| [(0.0, CRUISE), (100.0, laser(77.0)), (900.0, laser(again))];
    assert_eq!(told(Bug::SameAgainDropped, &story(77.0), (900.0, 1900.0), is_lost), [false, true]);
    assert_eq!(told(Bug::SameAgainDropped, &story(77.5), (900.0, 1900.0), is_lost), [false, false]);
    assert_eq!(told(Bug::SameAgainDropped, &story(77.5), (900.0, 1900.1), is_lost), [true, true]);
}

#[test]
fn bug_6_a_goal_comes_back_and_has_moved() {
    let is_right = |output: &Output| matches!(output, Output::Plan { goal, .. } if goal.place.x == 8.0);
    let story = [(0.0, goal(7, 1.0)), (10.0, goal(3, 2.0)), (20.0, goal(7, 8.0))];
    assert_eq!(told(Bug::PlanFoundById, &story, (20.0, 120.0), is_right), [true, false]);
    let story = [story[0], story[2]];
    assert_eq!(told(Bug::PlanFoundById, &story, (20.0, 120.0), is_right), [true, true]);
}

#[test]
fn bug_7_the_view_is_clear_after_a_danger() {
    let story = |dist| [(0.0, CRUISE), (150.0, laser(19.9)), (300.0, laser(dist))];
    assert_eq!(told(Bug::ClearViewLiftsHold, &story(41.0), (150.0, 650.0), is_forward), [false, true]);
    assert_eq!(told(Bug::ClearViewLiftsHold, &story(40.0), (150.0, 650.0), is_forward), [false, false]);
}

#[test]
fn bug_8_a_bumper_is_pressed_twice() {
    let is_backward = |output: &Output| speed(output) < Some(0.0) && speed(output).is_some();
    let story = [(0.0, CRUISE), (150.0, bumper(0, true)), (250.0, bumper(1, true))];
    assert_eq!(told(Bug::BackingOffAddsUp, &story, (550.0, 1500.0), is_backward), [false, true]);
    let story = [(0.0, CRUISE), (150.0, bumper(0, true)), (450.0, bumper(1, true))];
    assert_eq!(told(Bug::BackingOffAddsUp, &story, (750.0, 1500.0), is_backward), [false, false]);
}

#[test]
fn bug_9_the_rover_is_at_the_origin() {
    let is_arrival = |output: &Output| matches!(output, Output::Arrived { .. });
    let story = |place| [(30.0, Input::Position(place))];
    assert_eq!(told(Bug::OriginIsGoal, &story(Point::ORIGIN), (0.0, 1000.0), is_arrival), [false, true]);
    assert_eq!(told(Bug::OriginIsGoal, &story(HERE), (0.0, 1000.0), is_arrival), [false, false]);
}

#[test]
fn bug_10_the_goal_is_where_the_rover_stands() {
    let story = |x| [(0.0, CRUISE), (50.0, Input::Position(HERE)), (150.0, goal(4, x))];
    assert_eq!(told(Bug::GoalUnderfootMissed, &story(HERE.x), (150.0, 450.0), is_forward), [false, true]);
    assert_eq!(told(Bug::GoalUnderfootMissed, &story(9.0), (150.0, 450.0), is_forward), [true, true]);
}

#[test]
fn bugs_have_numbers_from_1_to_10() {
    let numbered: Vec<Bug> = (0..=11).filter_map(Bug::numbered).collect();
    assert_eq!(numbered, Bug::ALL);
}
