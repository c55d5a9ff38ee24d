type Point = { readonly hours: number; readonly value: number };

type Slope = {
  /** Per hour. */
  readonly perHour: number;
  /** Standard error of the slope, per hour. */
  readonly error: number;
};

const sum = (values: ReadonlyArray<number>): number => values.reduce((total, value) => total + value, 0);

/** The line of least squares through at least three points of different times. */
export const slopeOf = (points: ReadonlyArray<Point>): Slope => {
  const count = points.length;
  const meanHours = sum(points.map(({ hours }) => hours)) / count;
  const meanValue = sum(points.map(({ value }) => value)) / count;
  const spread = sum(points.map(({ hours }) => (hours - meanHours) ** 2));
  const perHour = sum(points.map(({ hours, value }) => (hours - meanHours) * (value - meanValue))) / spread;
  const residuals = sum(points.map(({ hours, value }) => (value - meanValue - perHour * (hours - meanHours)) ** 2));
  return { perHour, error: Math.sqrt(residuals / (count - 2) / spread) };
};
