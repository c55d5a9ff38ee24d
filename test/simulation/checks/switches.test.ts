import { expect } from 'chai';
import type { GenerationState } from '../../../projections/engine/generation/generation.js';
import { readModelsOf, registry } from '../../../src/entities/registry.js';
import { makeManualClock } from '../../support/manual-clock.js';
import { makeMemoryStorage } from '../../support/memory-storage/memory-storage.js';
import { watchSwitches } from './switches.js';

const [projection] = readModelsOf(registry);
if (projection === undefined) throw new Error('there is no read model');

/** Makes another generation live so many times, a while after each other. */
const switchedEvery = async (ms: number, times: number): Promise<ReadonlyArray<string>> => {
  const broken: Array<string> = [];
  let now = 0;
  const storage = watchSwitches(makeMemoryStorage({ clock: makeManualClock() }), () => now, {
    breaks: (line) => void broken.push(line),
  });
  await storage.migrate();
  for (const role of ['live', 'previous'] as const)
    await storage.change(projection, () => ({
      create: { role, logIdentity: 'the log', isRebuild: false, skips: 0 },
    }));
  const previous = (generations: ReadonlyArray<GenerationState>) => generations.find(({ role }) => role === 'previous');
  for (let time = 0; time < times; time += 1) {
    now += ms;
    await storage.change(projection, (generations) => ({ makeLive: previous(generations)?.name ?? '' }));
  }
  return broken;
};

describe('watching which rows become live', () => {
  it('says when rows take turns', async () => {
    expect(await switchedEvery(250, 7)).to.deep.equal([
      `other rows of ${projection.name} became live 7 times in 3000 ms`,
    ]);
  });

  it('says nothing of switches one after the other', async () => {
    expect(await switchedEvery(1_000, 20)).to.deep.equal([]);
  });
});
