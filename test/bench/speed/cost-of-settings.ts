import type { Lengths, Row } from './compare.js';
import { cases } from './cases.js';
import { withEnds } from './ends.js';
import { type Compared, compareVariants, startPostgres, type Variant } from './variants.js';

/** The service with a setting and without it, and the share of each request that is wanted to be left. */
type Cost = {
  readonly service: Variant;
  readonly limit: Variant;
  readonly limitIs: string;
  readonly wanted: Readonly<Record<string, number>>;
};

const COSTS: ReadonlyArray<Cost> = [
  {
    service: { settings: { ERASURE: 'true', ERASURE_KEY: 'a key of the benchmark that is long enough' } },
    limit: { settings: {} },
    limitIs: 'without ERASURE',
    wanted: { 'events, 10': 0.88, 'events, 100': 0.88, 'events, 1,000': 0.88, update: 0.95, create: 0.88 },
  },
  {
    service: { settings: { ACCESS_RECORD: 'on' } },
    limit: { settings: { ACCESS_RECORD: 'off' } },
    limitIs: 'without ACCESS_RECORD',
    wanted: { 'events, 10': 0.97, 'events, 100': 0.97 },
  },
];

/**
 * What settings cost: the service with each of them beside itself without it, for those of its requests whose names have
 * `only` in them. A ratio is the share of the requests that is left.
 */
export const costOfSettings = (
  only: string,
  options: Lengths & { readonly businesses: number },
): Promise<ReadonlyArray<Row>> =>
  withEnds(async (ends) => {
    const busy = cases(options.businesses).filter(({ name, connections }) => name.includes(only) && connections > 1);
    const postgres = await startPostgres(ends);
    const rows: Array<Row> = [];
    for (const { service, limit, limitIs, wanted } of COSTS) {
      const compared = busy.flatMap(({ name, connections, service: request }): ReadonlyArray<Compared> => {
        const share = wanted[name];
        return share === undefined ? [] : [{ name, connections, limitIs, wanted: share, request }];
      });
      if (compared.length > 0) rows.push(...(await compareVariants(postgres, { service, limit }, compared, options)));
    }
    return rows;
  });
