//! Draws figures as SVG and as PNG. The letters come with the program, so that it needs no font of the system.

use super::figures::{Axis, Line, Panel, Plot, Point};
use super::numbers::shown;
use plotters::coord::Shift;
use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};
use plotters::prelude::*;
use plotters::style::register_font;
use std::error::Error;
use std::path::Path;

type Drawn = Result<(), Box<dyn Error>>;
type Chart<'a, B> = ChartContext<'a, B, Cartesian2d<Scale, Scale>>;

const FONT: &str = "sans-serif";
const WIDTH: u32 = 960;
const HEAD: u32 = 64;
const PANEL: u32 = 400;
const GREY: RGBColor = RGBColor(90, 90, 90);
const GOAL: RGBColor = RGBColor(200, 30, 30);
/// Okabe and Ito's, which the colour-blind can tell apart.
const COLOURS: [RGBColor; 5] = [
    RGBColor(0, 114, 178),
    RGBColor(230, 159, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
];
/// More points than this are drawn as a line alone.
const DOTS_MAX: usize = 30;
/// Above the highest point of an even axis.
const HEADROOM: f64 = 1.02;
/// About so many numbers stand along an even axis.
const NUMBERS: f64 = 6.0;

/// Writes both pictures.
pub(crate) fn both(plot: &Plot, folder: &Path) {
    std::fs::write(folder.join(format!("{}.svg", plot.name)), svg(plot)).expect("the picture");
    let (width, height) = size(plot);
    let mut pixels = vec![0; width as usize * height as usize * 3];
    whole(plot, BitMapBackend::with_buffer(&mut pixels, (width, height)).into_drawing_area())
        .expect("a picture");
    let file = std::fs::File::create(folder.join(format!("{}.png", plot.name))).expect("the picture");
    let mut encoder = png::Encoder::new(std::io::BufWriter::new(file), width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header().expect("the picture");
    writer.write_image_data(&pixels).expect("the picture");
}

/// As text.
pub(crate) fn svg(plot: &Plot) -> String {
    let mut text = String::new();
    whole(plot, SVGBackend::with_string(&mut text, size(plot)).into_drawing_area()).expect("a picture");
    text
}

fn size(plot: &Plot) -> (u32, u32) {
    (WIDTH, HEAD + PANEL * u32::try_from(plot.panels.len()).expect("few"))
}

fn whole<B: DrawingBackend>(plot: &Plot, area: DrawingArea<B, Shift>) -> Drawn
where
    B::ErrorType: 'static,
{
    let _ = register_font(FONT, FontStyle::Normal, dejavu::sans::regular());
    area.fill(&WHITE).map_err(|error| error.to_string())?;
    let (head, rest) = area.split_vertically(HEAD);
    let words = |text: &str, size, colour: &RGBColor, y| {
        let style = (FONT, size).into_font().color(colour);
        head.draw(&Text::new(text.to_owned(), (16, y), style)).map_err(|error| error.to_string())
    };
    words(&plot.title, 20, &BLACK, 12)?;
    words(&plot.machine, 12, &GREY, 42)?;
    for (panel, place) in plot.panels.iter().zip(rest.split_evenly((plot.panels.len(), 1))) {
        draw(panel, &place)?;
    }
    area.present().map_err(|error| error.to_string().into())
}

fn draw<B: DrawingBackend>(panel: &Panel, place: &DrawingArea<B, Shift>) -> Drawn
where
    B::ErrorType: 'static,
{
    let names = 20 * (panel.lines.len() + usize::from(panel.goal.is_some()));
    let (legend, place) = place.split_vertically(u32::try_from(names).expect("few"));
    name_lines(panel, &legend)?;
    let points = || panel.lines.iter().flat_map(|line| &line.points);
    let across = Scale::of(&panel.x, points().map(|point| point.x).collect(), 1.0);
    let goal = panel.goal.iter().map(|goal| goal.y);
    let along = points().flat_map(|point| [point.low, point.high]).chain(goal);
    let up = Scale::of(&panel.y, along.collect(), HEADROOM);
    let mut chart = ChartBuilder::on(&place)
        .margin(14)
        .x_label_area_size(46)
        .y_label_area_size(74)
        .build_cartesian_2d(across.clone(), up.clone())?;
    chart
        .configure_mesh()
        .axis_desc_style((FONT, 14))
        .label_style((FONT, 12))
        .x_desc(&panel.x.name)
        .y_desc(&panel.y.name)
        .light_line_style(TRANSPARENT)
        .bold_line_style(BLACK.mix(0.12))
        .x_label_formatter(&|at| across.number(*at))
        .y_label_formatter(&|at| up.number(*at))
        .draw()?;
    for (line, colour) in panel.lines.iter().zip(COLOURS.iter().cycle()) {
        add(&mut chart, line, *colour, &across, &up)?;
    }
    if let Some(goal) = &panel.goal {
        let y = up.place(goal.y);
        let level = [(across.from, y), (across.to, y)];
        let style = GOAL.stroke_width(2);
        let dashes = DashedLineSeries::new(level, 8, 5, style);
        chart.draw_series(dashes)?;
    }
    Ok(())
}

/// Says above a panel what each line is, where it hides none of them.
fn name_lines<B: DrawingBackend>(panel: &Panel, place: &DrawingArea<B, Shift>) -> Drawn
where
    B::ErrorType: 'static,
{
    let lines = panel.lines.iter().map(|line| &line.name).zip(COLOURS.into_iter().cycle());
    let goal = panel.goal.iter().map(|goal| (&goal.name, GOAL));
    for (row, (name, colour)) in (0..).zip(lines.chain(goal)) {
        let y = 10 + 20 * row;
        let stroke = PathElement::new([(88, y), (112, y)], colour.stroke_width(3));
        place.draw(&stroke).map_err(|error| error.to_string())?;
        let style = (FONT, 13).into_font().color(&BLACK);
        place.draw(&Text::new(name.clone(), (120, y - 6), style)).map_err(|error| error.to_string())?;
    }
    Ok(())
}

fn add<B: DrawingBackend>(
    chart: &mut Chart<'_, B>,
    line: &Line,
    colour: RGBColor,
    across: &Scale,
    up: &Scale,
) -> Drawn
where
    B::ErrorType: 'static,
{
    let at = |point: &Point, y: f64| (across.place(point.x), up.place(y));
    let style = colour.stroke_width(2);
    let line_of = LineSeries::new(line.points.iter().map(|point| at(point, point.y)), style);
    chart.draw_series(line_of)?;
    if line.points.len() <= DOTS_MAX {
        let dots = line.points.iter().map(|point| Circle::new(at(point, point.y), 3, colour.filled()));
        chart.draw_series(dots)?;
        let spread = |point: &Point| PathElement::new([at(point, point.low), at(point, point.high)], colour);
        chart.draw_series(line.points.iter().map(spread))?;
    }
    Ok(())
}

/// How figures lie along an axis. Powers of ten are drawn evenly, by their logarithm.
#[derive(Clone)]
struct Scale {
    log: bool,
    /// Ends of the axis, as drawn.
    from: f64,
    to: f64,
    /// Where numbers stand, as drawn.
    numbers: Vec<f64>,
}

impl Scale {
    fn of(axis: &Axis, values: Vec<f64>, room: f64) -> Self {
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if axis.log { Self::powers(least, most) } else { Self::even(least, most * room) }
    }

    /// From the power of ten below to the one above, or a little less: 1, 2 and 5 of each.
    fn powers(least: f64, most: f64) -> Self {
        let decades = least.log10().floor() as i32..=most.log10().ceil() as i32;
        let steps = decades.flat_map(|decade| [1.0, 2.0, 5.0].map(|step| power(f64::from(decade)) * step));
        let steps: Vec<f64> = steps.collect();
        let from = steps.iter().rev().find(|step| **step <= least).copied().unwrap_or(least);
        let to = steps.iter().find(|step| **step >= most).copied().unwrap_or(most);
        let inside = steps.iter().filter(|step| (from..=to).contains(*step));
        Self {
            log: true,
            from: from.log10(),
            // A single value has some room too.
            to: to.log10().max(from.log10() + 0.3),
            numbers: inside.map(|step| step.log10()).collect(),
        }
    }

    /// From nothing on.
    fn even(least: f64, most: f64) -> Self {
        let span = most.max(f64::MIN_POSITIVE) - least.min(0.0);
        let least_step = power((span / NUMBERS).log10().floor());
        let steps = [1.0, 2.0, 5.0, 10.0].map(|step| step * least_step);
        let step = steps.into_iter().find(|step| span / step <= NUMBERS).unwrap_or(span);
        let (from, to) = ((least.min(0.0) / step).floor(), (most / step).ceil());
        let numbers = (from as i64..=to as i64).map(|number| number as f64 * step).collect();
        Self { log: false, from: from * step, to: to * step, numbers }
    }

    fn place(&self, value: f64) -> f64 {
        if self.log { value.log10() } else { value }
    }

    fn number(&self, at: f64) -> String {
        let value = if self.log { power(at) } else { at };
        match value {
            0.0 => "0".to_owned(),
            value if value.abs() >= 1e6 => format!("{}M", round(value / 1e6)),
            value if value.abs() >= 1e3 => format!("{}k", round(value / 1e3)),
            value => round(value),
        }
    }
}

impl Ranged for Scale {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, at: &f64, (first, last): (i32, i32)) -> i32 {
        let share = (at - self.from) / (self.to - self.from);
        first + (f64::from(last - first) * share).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        if hint.weight().allow_light_points() { Vec::new() } else { self.numbers.clone() }
    }

    fn range(&self) -> std::ops::Range<f64> {
        self.from..self.to
    }
}

/// Of ten.
fn power(of: f64) -> f64 {
    10_f64.powf(of)
}

/// Without the zeros at its end.
fn round(value: f64) -> String {
    let text = shown(value);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}
