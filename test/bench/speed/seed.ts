import { API, type Seeded } from './cases.js';
import type { Load, LoadGenerator } from '../measure/load.js';

const WITH_TEN = 20;
const WITH_HUNDRED = 10;
const WITH_THOUSAND = 2;

/** Where one side of the comparison is, and how it names the id of a business. */
type Side = {
  readonly port: number;
  readonly path: string;
  readonly idKey: '_id' | 'id';
  readonly headers: Readonly<Record<string, string>>;
};

const writing = (side: Side, method: 'POST' | 'PUT', ids: ReadonlyArray<string>, requests: number): Load => ({
  ...side,
  method,
  paths: ids.length === 0 ? [side.path] : ids.map((id) => `${side.path}/${id}`),
  sendsBusiness: true,
  status: 200,
  connections: ids.length === 1 ? 1 : 16,
  length: { requests },
});

const idsOf = async ({ port, path, idKey, headers }: Side): Promise<ReadonlyArray<string>> => {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers });
  const records = (await answer.json()) as ReadonlyArray<Readonly<Record<string, string>>>; // reason: a list of records
  return records.map((record) => record[idKey]!);
};

/** So many businesses on one side, with the same histories on each. */
export const seed = async (generator: LoadGenerator, side: Side, businesses: number): Promise<Seeded> => {
  const run = async (load: Load): Promise<void> => {
    const { errors } = await generator.run(load);
    if (errors > 0) throw new Error(`${errors} of the requests failed that make ${API}`);
  };
  await run(writing(side, 'POST', [], businesses));
  const ids = await idsOf(side);
  const ten = ids.slice(0, WITH_TEN);
  const hundred = ids.slice(WITH_TEN, WITH_TEN + WITH_HUNDRED);
  const thousand = ids.slice(WITH_TEN + WITH_HUNDRED, WITH_TEN + WITH_HUNDRED + WITH_THOUSAND);
  for (const id of ten) await run(writing(side, 'PUT', [id], 9));
  for (const id of hundred) await run(writing(side, 'PUT', [id], 99));
  for (const id of thousand) await run(writing(side, 'PUT', [id], 999));
  return { ten, hundred, thousand, plain: ids.slice(WITH_TEN + WITH_HUNDRED + WITH_THOUSAND) };
};
