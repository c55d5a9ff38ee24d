import { expect } from 'chai';
import { WHOLE_LIFE } from '../simulate.js';
import { drawSeeds, hashOf } from './drawn-seeds.js';
import { keptSeeds, seedsIn } from './kept-seeds.js';
import type { OneLife } from './one-life.js';
import { shrink } from './shrink.js';
import { tellLives } from './tell-lives.js';

const COMMIT = '5e8ef1f9464943acbacc1451923762583e7b85dc';
const LOST = '01890a5d-ac96-774b-bcce-b302099a8057 shows client 3 1 after client 3 2';

describe('seeds of a commit', () => {
  it('are always the same, and of the next commit others', () => {
    const seeds = drawSeeds(COMMIT, 2_000);
    expect(new Set(seeds).size).to.equal(2_000);
    expect(seeds.slice(0, 3)).to.deep.equal(drawSeeds(COMMIT, 3));
    expect(seeds.slice(0, 3)).to.deep.equal([1_896_155_879, 2_820_219_528, 2_353_031_206]);
    const next = drawSeeds(COMMIT.replace('5', '6'), 2_000);
    expect(seeds.filter((seed) => next.includes(seed))).to.deep.equal([]);
  });

  it('need its hash, and no checkout when it is given', () => {
    expect(hashOf(COMMIT)).to.equal(COMMIT);
    expect(() => hashOf('no-such-branch')).to.throw('give its 40 digits by --commit');
  });
});

describe('kept seeds', () => {
  it('are the lines of a list, each with its reason', () => {
    expect(seedsIn('# why\n\n4711 a lost row\n12 a list that went back\n')).to.deep.equal([4_711, 12]);
    expect(() => seedsIn('4711 a lost row\n12\n')).to.throw('line 2 is no seed with a reason: 12');
  });

  it('are in the list of this checkout, each once', () => {
    expect(new Set(keptSeeds()).size).to.equal(keptSeeds().length);
  });
});

describe('a smaller life', () => {
  const sizes = [1, 2, 3, 4, 5, 6].flatMap((clients) => [0, 1, 3, 9, 1_000].map((faults) => ({ clients, faults })));

  it('has as many clients and faults as are needed', async () => {
    for (const least of sizes) {
      const found = await shrink(LOST, WHOLE_LIFE, ({ clients, faults }) =>
        Promise.resolve(clients >= least.clients && faults >= least.faults ? [LOST] : []),
      );
      expect(found).to.deep.equal(least);
    }
  });

  it('breaks the same kind of promise, whoever it is about', async () => {
    const found = await shrink(LOST, WHOLE_LIFE, ({ clients, faults }) =>
      Promise.resolve([
        'service 1 has stopped, and 2 timers wait',
        ...(clients >= 2 && faults >= 3 ? [LOST.replace('01890a5d', '01890b6e').replace('3 1', '0 7')] : []),
      ]),
    );
    expect(found).to.deep.equal({ clients: 2, faults: 3 });
  });
});

describe('what is told of many lives', () => {
  const tell = async (breaks: (life: OneLife) => boolean, seeds: ReadonlyArray<number>) => {
    const lines: Array<string> = [];
    const told = await tellLives(
      seeds.map((seed) => ({ seed })),
      {
        // the first one is the last one to end
        live: async (life) => {
          await (life.seed === seeds[0] ? new Promise((resolve) => setImmediate(resolve)) : undefined);
          return { broken: breaks(life) ? [`${life.seed} is lost`] : [], counts: { 'GET 200': 2 } };
        },
        out: (line) => void lines.push(line),
        err: () => undefined,
      },
    );
    return { lines, told };
  };

  it('names each seed that broke a promise in the order of the seeds, and how to repeat the smallest life of it', async () => {
    const { lines, told } = await tell(
      ({ seed, clients = 6, faults = 1_000 }) => seed !== 8 && clients >= 2 && faults >= 3,
      [7, 8, 9],
    );
    expect(lines).to.deep.equal([
      '7 clients=2 faults=3: 7 is lost',
      '  npm run simulate -- --seed 7 --clients 2 --faults 3',
      '9 clients=2 faults=3: 9 is lost',
      '  npm run simulate -- --seed 9 --clients 2 --faults 3',
    ]);
    expect(told).to.deep.equal({ passed: 1, failed: 2, counts: new Map([['GET 200', 6]]) });
  });

  it('is nothing where all promises were kept', async () => {
    const { lines, told } = await tell(() => false, [1, 2]);
    expect(lines).to.deep.equal([]);
    expect(told.passed).to.equal(2);
  });
});
