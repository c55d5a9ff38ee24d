import type { Figures } from '../support/figures.js';
import { slopeOf } from './slope.js';

/** The figures so many seconds after the beginning. */
export type Sample = {
  readonly seconds: number;
  readonly figures: Figures;
  /** MiB of heap and external memory after garbage was collected; taken with one sample in six. */
  readonly live: number | undefined;
};

export type Growth = {
  readonly figure: string;
  readonly first: number;
  readonly last: number;
  readonly highest: number;
  readonly perHour: number;
  /** Standard error of the slope. */
  readonly error: number;
  readonly limit: number;
  readonly grows: boolean;
};

type Figure = {
  readonly figure: string;
  readonly of: (sample: Sample) => number | undefined;
  /** An hour. */
  readonly limit: number;
};

/**
 * Slopes that count as growth, an hour. RSS: the allocator keeps and splits pages, so that it climbs for hours towards a
 * height that the load sets, at some MiB an hour; a leak of one Buffer of 64 KiB in a thousand requests is 20. What
 * is live has no such reason to grow once the caches are full, which takes a quarter of an hour; V8's own code and
 * type feedback do, by a MiB or two. One descriptor, connection or file that is lost in a thousand aborted requests
 * makes sixty an hour.
 */
const figures: ReadonlyArray<Figure> = [
  { figure: 'RSS, MiB', of: (sample) => sample.figures.rss, limit: 10 },
  { figure: 'heap, MiB', of: (sample) => sample.figures.heap, limit: 10 },
  { figure: 'external, MiB', of: (sample) => sample.figures.external, limit: 5 },
  { figure: 'live memory, MiB', of: ({ live }) => live, limit: 5 },
  { figure: 'descriptors', of: (sample) => sample.figures.descriptors, limit: 5 },
  { figure: 'Postgres connections', of: (sample) => sample.figures.postgres, limit: 2 },
  { figure: 'unfinished files', of: (sample) => sample.figures.unfinishedFiles, limit: 2 },
];

/** Standard errors: a slope that is this far above its limit is there by chance once in a thousand times. */
const CERTAINTY = 3;
const HOUR = 3_600;

/** How the figures grew over the second half of the samples, when pools and caches have filled. */
export const growthOf = (samples: ReadonlyArray<Sample>): ReadonlyArray<Growth> =>
  figures.flatMap(({ figure, of, limit }): ReadonlyArray<Growth> => {
    const half = (samples.at(-1)?.seconds ?? 0) / 2;
    const points = samples.flatMap((sample) => {
      const value = of(sample);
      return value === undefined ? [] : [{ seconds: sample.seconds, hours: sample.seconds / HOUR, value }];
    });
    const second = points.filter(({ seconds }) => seconds >= half);
    if (second.length < 3) return [];
    const { perHour, error } = slopeOf(second);
    return [
      {
        figure,
        first: points[0]!.value,
        last: points.at(-1)!.value,
        highest: Math.max(...points.map(({ value }) => value)),
        perHour,
        error,
        limit,
        grows: perHour - CERTAINTY * error > limit,
      },
    ];
  });
