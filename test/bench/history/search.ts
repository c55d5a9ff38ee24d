import { AUDIT_API } from '../../../src/http/paths.js';
import { median, note } from '../report.js';
import type { SearchGroup } from './searches.js';

const RUNS = 5;

/** Who answers searches. */
type Searched = {
  readonly address: string;
  /** With the token of an auditor. */
  readonly headers: Readonly<Record<string, string>>;
  /** An event in the middle of the ledger. */
  readonly middle: number;
};

type Timed = { readonly query: string; readonly ms: number; readonly errors: number };

type SearchResult = {
  readonly requests: number;
  readonly errors: number;
  /** Each is the median of its runs: that of all requests, and that of the slowest, with the query of that one. */
  readonly medianMs: number;
  readonly mostMs: number;
  readonly slowest: string;
};

/** What is wrong with an answer; undefined: nothing. A page in one direction from its end has to have what there is. */
const faultOf = (status: number, text: string, finds: boolean | undefined): string | undefined => {
  if (status !== 200) return `${status}: ${text}`;
  if (finds === undefined || (text !== '[]') === finds) return undefined;
  return finds ? 'nothing was found' : 'something was found';
};

const time = async ({ address, headers }: Searched, query: string, finds: boolean | undefined): Promise<Timed> => {
  const times: Array<number> = [];
  let errors = 0;
  for (let run = 0; run < RUNS; run += 1) {
    const began = performance.now();
    const response = await fetch(`${address}${AUDIT_API}/events?${query}`, { headers });
    const text = await response.text();
    times.push(performance.now() - began);
    const fault = faultOf(response.status, text, finds);
    if (fault === undefined) continue;
    errors += 1;
    note(`?${query}: ${fault}`);
  }
  return { query, ms: median(times), errors };
};

/** Times each search in both orders, from the end and from the middle of the ledger. */
export const timeSearches = async (searched: Searched, { searches }: SearchGroup): Promise<SearchResult> => {
  const timed: Array<Timed> = [];
  for (const { filters, finds } of searches)
    for (const order of ['asc', 'desc'])
      for (const after of [undefined, String(searched.middle)]) {
        const place = after === undefined ? {} : { after };
        const query = new URLSearchParams({ limit: '100', ...filters, order, ...place }).toString();
        // from the middle there may be none
        timed.push(await time(searched, query, after === undefined || !finds ? finds : undefined));
      }
  const [slowest] = timed.toSorted((one, other) => other.ms - one.ms);
  return {
    requests: timed.length * RUNS,
    errors: timed.reduce((sum, { errors }) => sum + errors, 0),
    medianMs: median(timed.map(({ ms }) => ms)),
    mostMs: slowest?.ms ?? NaN,
    slowest: slowest?.query ?? '',
  };
};
