import { expect } from 'chai';
import { growthOf, type Sample } from './growth.js';
import { makeRandom } from './random.js';
import { slopeOf } from './slope.js';

/** An hour of samples of a memory that goes up and down by 20 MiB and grows by so much an hour. */
const samplesOf = (perHour: number): ReadonlyArray<Sample> => {
  const random = makeRandom(7);
  return Array.from({ length: 360 }, (_, index) => {
    const seconds = (index + 1) * 10;
    const rss = 150 + random.integer(20) + (perHour * seconds) / 3_600;
    const figures = { rss, heap: 40, external: 5, descriptors: 70, postgres: 20, busyPostgres: 0, unfinishedFiles: 0 };
    return { seconds, figures, live: index % 6 === 5 ? 30 : undefined };
  });
};

const growing = (samples: ReadonlyArray<Sample>): ReadonlyArray<string> =>
  growthOf(samples).flatMap(({ figure, grows }) => (grows ? [figure] : []));

describe('the growth of what a service holds', () => {
  it('is the slope of the line of least squares', () => {
    const slope = slopeOf([
      { hours: 0, value: 1 },
      { hours: 1, value: 3 },
      { hours: 2, value: 5 },
    ]);
    expect(slope).to.deep.equal({ perHour: 2, error: 0 });
  });

  it('is none where the figures only go up and down', () => {
    expect(growing(samplesOf(0))).to.deep.equal([]);
  });

  it('is found where they go up and down and grow', () => {
    expect(growing(samplesOf(40))).to.deep.equal(['RSS, MiB']);
  });

  it('is none where they grew only at the beginning', () => {
    const samples = samplesOf(0).map((sample) =>
      sample.seconds > 1_800 ? sample : { ...sample, figures: { ...sample.figures, rss: sample.seconds / 20 } },
    );
    expect(growing(samples)).to.deep.equal([]);
  });
});
