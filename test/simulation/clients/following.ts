import type { Sent } from '../checks/feeds.js';
import type { LedgerEvent, State } from '../checks/states.js';
import { parseBlock } from '../../support/event-stream.js';
import { oneOf } from '../chance.js';
import { aRecord, type Client } from './client.js';
import { command } from './command.js';
import { LEDGER } from './auditing.js';
import { BUSINESSES, create } from './on-businesses.js';
import { newKey } from './repeating.js';

/** The longest that a client stays with one connection, and that it waits until it connects again, ms. */
const [STAY_MS, PAUSE_MS] = [30_000, 1_000];
/** How soon a feed shows a change of its own client, and all others, when nothing goes wrong, ms. */
const [SHOWN_MS, CAUGHT_UP_MS] = [10_000, 3_000];
/** When a feed is followed first at the latest, ms. */
const FIRST_MS = 8_000;

/** Follows a feed for as long as it is wanted, over one connection after the other. */
const follow = (client: Client, path: string) => {
  const { world, notes, cluster } = client;
  const sent: Array<Sent> = [];
  const marks = new Set<string>();
  const waiting = new Map<string, () => void>();
  let isWanted = true;
  let leave = (): void => undefined;

  const take = (block: string): void => {
    const parsed = parseBlock(block);
    if (typeof parsed === 'string' || parsed.id === undefined) {
      notes.count(typeof parsed === 'string' ? 'a feed is quiet' : 'a feed has caught up');
      return;
    }
    const { index, _id, reason = '' } = parsed.data as LedgerEvent; // reason: what has an id is an event
    if (String(index) !== parsed.id) notes.breaks(`${path} has sent ${index} under ${parsed.id}`);
    sent.push({ index, id: _id });
    marks.add(reason);
    waiting.get(reason)?.();
  };

  const connect = async (): Promise<void> => {
    const service = oneOf(client, cluster.running());
    if (service === undefined) return;
    const last = sent.at(-1);
    const headers = {
      accept: 'text/event-stream',
      ...(last === undefined ? {} : { 'last-event-id': String(last.index) }),
    };
    if (last !== undefined) notes.count('a feed is resumed');
    let text = '';
    const { request, answer } = service.begin('GET', path, headers, (more) => {
      const blocks = (text + more).split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) take(block);
    });
    request.end();
    leave = () => void request.destroy();
    const stay = world.sleep(client.random.fraction() * STAY_MS).then(() => leave());
    const left = answer.then(
      ({ status }) => {
        notes.count(`a feed ends with ${status}`);
        if (status !== 200 && status !== 503) notes.breaks(`${path} was answered ${status}`);
      },
      () => notes.count('a feed is lost'),
    );
    await Promise.race([left, stay.then(() => left)]);
  };

  const goOn = async (): Promise<void> => {
    await connect();
    await world.sleep(client.random.fraction() * PAUSE_MS);
    if (isWanted) await goOn();
  };
  const ended = goOn();
  return {
    sent,
    /** Resolves with whether it has sent the event of a command in time. */
    shows: (mark: string): Promise<boolean> =>
      marks.has(mark)
        ? Promise.resolve(true)
        : Promise.race([
            new Promise<true>((resolve) => waiting.set(mark, () => resolve(true))),
            world.sleep(SHOWN_MS).then(() => marks.has(mark)),
          ]),
    end: async (): Promise<void> => {
      isWanted = false;
      leave();
      await ended;
    },
  };
};

/**
 * Follows the events of a record, or of all, until others are done; then it changes that record, and waits for that. Resolves
 * with what ends it, when nobody changes anything any more.
 */
export const followUntil = async (
  client: Client,
  isOfAll: boolean,
  othersDone: Promise<void>,
): Promise<() => Promise<void>> => {
  const { world, cluster, told, notes, random } = client;
  await world.sleep(random.fraction() * FIRST_MS);
  // one that got no answer is not known
  while (told.records.Business.length === 0) await create(client);
  const record = aRecord(client, 'Business') ?? '';
  const path = isOfAll ? LEDGER : `${BUSINESSES}/${record}/events`;
  const feed = follow(client, path);
  await othersDone;
  // followers change something at the same time: what the one has changed is on its way when the rows have that of the other one
  if (isOfAll) cluster.holdUpFeeds();
  const mark = client.nextMark();
  const request = { method: 'POST', path: `${BUSINESSES}/${record}/owner`, body: { user: mark, title: mark } };
  const isShownBy = ({ owners }: State): boolean => owners[mark] === mark;
  const done = await command(client, { record, request, mark, user: mark, key: newKey(client), isShownBy });
  if (done?.answer.status === 200 && !(await feed.shows(mark)))
    notes.breaks(`${path} has not shown ${mark} within ${SHOWN_MS} ms`);
  return async () => {
    await world.sleep(CAUGHT_UP_MS);
    await feed.end();
    told.feeds.push({ feed: path, record: isOfAll ? undefined : record, sent: feed.sent });
  };
};
