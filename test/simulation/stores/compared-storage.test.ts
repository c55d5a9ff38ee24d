import { expect } from 'chai';
import type { ReadModelStorage } from '../../../projections/engine/storage.js';
import { aBusiness, aProjection, stepTo } from '../../contract/read-model-storage/storage-under-test.js';
import { makeManualClock } from '../../support/manual-clock.js';
import { makeMemoryStorage } from '../../support/memory-storage/memory-storage.js';
import { comparedStorage } from './compared-storage.js';

const NEW = { role: 'live', logIdentity: 'a log', isRebuild: false, skips: 0, holder: 'one' } as const;

/** Makes rows, writes one and reads it, in two storages; gives what they differ in. */
const differences = async (wrong: (other: ReadModelStorage) => Partial<ReadModelStorage>) => {
  const clock = makeManualClock();
  const [one, other] = [makeMemoryStorage({ clock }), makeMemoryStorage({ clock })];
  const lines: Array<string> = [];
  const storage = comparedStorage(one, { ...other, ...wrong(other) }, (line) => void lines.push(line));
  const projection = aProjection({ name: 'rows' });
  await storage.migrate();
  const made = await storage.change(projection, () => ({ create: NEW }));
  await storage.change(projection, (all) => (all.length === 1 ? {} : undefined));
  const [generation, lease] = [made?.created, made?.leases[0]];
  if (generation === undefined || lease === undefined) throw new Error('nothing was made');
  const rows = storage.entityRows({ projection, generation, lease, notifies: false });
  const business = aBusiness();
  await rows.prepare([business])(stepTo(5n));
  await rows.read([business.id]);
  await storage.acquire(generation.name, 'another one', false);
  return lines;
};

describe('what two storages are asked for together', () => {
  it('is the same where both behave the same', async () => {
    expect(await differences(() => ({}))).to.deep.equal([]);
  });

  it('is told where one answers otherwise', async () => {
    const [line, ...others] = await differences(({ acquire }) => ({
      acquire: (...[name, who]) => acquire(name, who, true),
    }));
    expect(line).to.match(/^Postgres and memory differ in acquire: .* and .*'another one'/u);
    expect(others).to.deep.equal([]);
  });

  it('is told where one fails', async () => {
    const [line] = await differences(() => ({ acquire: () => Promise.reject(new Error('it is away')) }));
    expect(line).to.match(/^Postgres and memory differ in acquire: .* and \{ thrown: 'it is away' \}$/u);
  });

  it('is told where one writes otherwise', async () => {
    const lines = await differences(({ entityRows }) => ({
      entityRows: (writer) => ({ ...entityRows(writer), prepare: () => () => Promise.resolve('live') }),
    }));
    expect(lines).to.have.length(1);
    expect(lines[0]).to.match(/^Postgres and memory differ in read: /u);
  });

  it('is told where one shows otherwise what a change sees', async () => {
    const lines = await differences(({ change }) => ({
      change: (projection, decide, options) =>
        change(projection, (all) => decide(all.map((each) => ({ ...each, isEvidence: true }))), options),
    }));
    expect(lines).to.have.length(1);
    expect(lines[0]).to.match(/^Postgres and memory differ in what a change sees: /u);
  });
});
