import { AUDIT_API } from '../../../src/http/paths.js';
import { forgetPeak, residentMib } from '../processes.js';

/** Media types in which all events can be listed, and what each event has once in them. */
export const FORMS = {
  NDJSON: { type: 'application/x-ndjson', mark: '\n' },
  JSON: { type: 'application/json', mark: '{"index":' },
  CSV: { type: 'text/csv', mark: '\r\n' },
} as const;

type Listed = { readonly seconds: number; readonly marks: number; readonly grownMib: number };

/** Counts a mark in a text that comes in parts. */
const makeCounter = (mark: string): { readonly add: (bytes: Uint8Array) => void; readonly count: () => number } => {
  let count = 0;
  let rest = Buffer.alloc(0);
  return {
    add: (bytes) => {
      const all = Buffer.concat([rest, bytes]);
      for (let at = all.indexOf(mark); at !== -1; at = all.indexOf(mark, at + mark.length)) count += 1;
      // shorter than a mark, so that none is counted twice
      rest = all.subarray(all.length - Math.min(all.length, mark.length - 1));
    },
    count: () => count,
  };
};

/** Reads the events of all records to their end; `grownMib`: how much more memory the process then had at most. */
export const listAll = async (
  { pid, address }: { readonly pid: number; readonly address: string },
  headers: Readonly<Record<string, string>>,
  form: (typeof FORMS)[keyof typeof FORMS],
): Promise<Listed> => {
  forgetPeak(pid);
  const before = residentMib(pid, 'VmRSS');
  const began = performance.now();
  const response = await fetch(`${address}${AUDIT_API}/events`, { headers: { ...headers, Accept: form.type } });
  if (response.status !== 200 || response.body === null) throw new Error(`a listing is ${response.status}`);
  const counter = makeCounter(form.mark);
  // reason: the body of an answer is bytes
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) counter.add(chunk);
  const seconds = (performance.now() - began) / 1_000;
  return { seconds, marks: counter.count(), grownMib: residentMib(pid, 'VmHWM') - before };
};
