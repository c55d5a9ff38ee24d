import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

/** A change that was acknowledged, and how it shows in the history. */
type Acknowledged = { readonly name: string; readonly phone: string | undefined };

type Written = {
  readonly business: string;
  readonly acknowledged: ReadonlyArray<Acknowledged>;
  readonly files: ReadonlyArray<{ readonly document: string; readonly content: string }>;
};

export type Load = {
  /** How many changes were acknowledged until now; throws when a writer has given up. */
  readonly acknowledged: () => number;
  /** The longest time without an acknowledged change since this was asked before, ms. */
  readonly longestPause: () => number;
  /** Answers that a client of a service whose containers are killed has to expect, by status or error. */
  readonly failures: ReadonlyMap<string, number>;
  /** Ends the load when each writer knows the answer to its last change. */
  readonly stop: () => Promise<ReadonlyArray<Written>>;
};

export type Api = { readonly url: string; readonly token: string };

const WRITERS = 4;
const PAUSE_MS = 20;
const RETRY_MS = 100;
const ANSWER_TIMEOUT_MS = 10_000;
/** Longer than any break of a trial. */
const GIVE_UP_MS = 180_000;

const jsonOf = (body: object) => ({ body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });

const formOf = (business: string, content: string): FormData => {
  const form = new FormData();
  form.set('name', 'A file');
  form.set('entity', business);
  form.set('file', new Blob([content]), 'file.txt');
  return form;
};

type Request = { readonly body: string | FormData; readonly headers?: Readonly<Record<string, string>> };

/** Writers that each change a business of their own, one change after the other, and repeat one until it is acknowledged. */
export const startLoad = ({ url, token }: Api): Load => {
  const failures = new Map<string, number>();
  const fail = (what: string): void => void failures.set(what, (failures.get(what) ?? 0) + 1);
  let [isOver, acknowledged] = [false, 0];
  let [latest, longest] = [performance.now(), 0];
  const pause = (): number => performance.now() - latest;
  const acknowledge = (): void => {
    acknowledged += 1;
    longest = Math.max(longest, pause());
    latest = performance.now();
  };

  const change = async (method: string, path: string, { body, headers }: Request): Promise<string> => {
    const key = randomUUID();
    const deadline = performance.now() + GIVE_UP_MS;
    while (performance.now() < deadline) {
      const answer = await fetch(`${url}${path}`, {
        method,
        body,
        headers: { ...headers, authorization: `Bearer ${token}`, 'idempotency-key': key },
        signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
      })
        .then(async (response) => ({ status: response.status, text: await response.text() }))
        .catch(() => ({ status: 0, text: '' }));
      if (answer.status === 200) {
        acknowledge();
        return (JSON.parse(answer.text) as { readonly _id?: string })._id ?? ''; // reason: every record has an id
      }
      if (answer.status !== 0 && answer.status < 500)
        throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
      fail(answer.status === 0 ? 'no answer' : String(answer.status));
      await delay(RETRY_MS);
    }
    throw new Error(`${method} ${path} was not answered within ${GIVE_UP_MS / 1000} s`);
  };

  const write = async (writer: number): Promise<Written> => {
    const business = await change('POST', '/business', jsonOf({ name: `Writer ${writer}` }));
    const done: Array<Acknowledged> = [{ name: 'BusinessCreated', phone: undefined }];
    const files: Array<Written['files'][number]> = [];
    await change('POST', `/business/${business}/owner`, jsonOf({ user: `owner ${writer}`, equity: 50 }));
    done.push({ name: 'BusinessOwnerAdded', phone: undefined });
    for (let round = 0; !isOver; round += 1) {
      const phone = `${writer}-${round}`;
      await change('PUT', `/business/${business}`, jsonOf({ phone }));
      done.push({ name: 'BusinessUpdated', phone });
      if (round % 10 === 0) {
        const content = `file ${phone}\n`;
        files.push({ document: await change('POST', '/document', { body: formOf(business, content) }), content });
      }
      await delay(PAUSE_MS);
    }
    return { business, acknowledged: done, files };
  };

  const all = Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
  let failure: Error | undefined;
  all.catch((error: unknown) => (failure = new Error('a writer has given up', { cause: error })));
  return {
    acknowledged: () => {
      if (failure !== undefined) throw failure;
      return acknowledged;
    },
    longestPause: () => {
      const found = Math.max(longest, pause());
      longest = 0;
      return found;
    },
    failures,
    stop: () => {
      isOver = true;
      return all;
    },
  };
};

type Event = { readonly name: string; readonly data: { readonly changes?: { readonly phone?: string } } };

/** What is wrong with what was written: a change that is missing, there twice or in another order, or a file that differs. */
export const faultsOf = async (
  { url, token }: Api,
  written: ReadonlyArray<Written>,
): Promise<ReadonlyArray<string>> => {
  const get = async (path: string): Promise<string> => {
    const response = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } });
    const text = await response.text();
    return response.ok ? text : `${response.status} ${text}`;
  };
  const faults: Array<string> = [];
  for (const { business, acknowledged, files } of written) {
    // reason: a history is an array of events; another answer fails the comparison
    const events = JSON.parse(await get(`/business/${business}/events`)) as ReadonlyArray<Event>;
    const found = events.map(({ name, data }) => `${name} ${data.changes?.phone ?? ''}`);
    const expected = acknowledged.map(({ name, phone }) => `${name} ${phone ?? ''}`);
    if (found.join() !== expected.join()) faults.push(`${business} has ${found.length} events, not ${expected.length}`);
    const record = await get(`/business/${business}`);
    const phone = acknowledged.at(-1)?.phone;
    if (phone !== undefined && !record.includes(`"phone":"${phone}"`)) faults.push(`${business} is not at ${phone}`);
    for (const { document, content } of files)
      if ((await get(`/document/${document}/file`)) !== content) faults.push(`the file of ${document} is another one`);
  }
  return faults;
};
