import { either as E } from 'fp-ts';
import { leafHash } from '../../../src/seal/hash.js';
import { parseSigner } from '../../../src/seal/note-key.js';
import { verifyTlogProof } from '../../../src/seal/tlog-proof.js';
import { right } from '../../support/sealed-tree.js';
import { below, isLucky, oneOf } from '../chance.js';
import type { LedgerEvent } from '../checks/states.js';
import { aRecord, askAny, type Asked, type Client } from './client.js';

export const LEDGER = '/audit/v1/events';

// reason: what the interface for auditors answers
export const ledgerIn = ({ answer: { text } }: Asked) => JSON.parse(text) as ReadonlyArray<LedgerEvent>;

const ask = async (client: Client, path: string): Promise<Asked | undefined> => {
  const asked = await askAny(client, { method: 'GET', path });
  if (asked === undefined || asked.answer.status === 200) return asked;
  client.notes.breaks(`GET ${path} was answered ${asked.answer.status} ${asked.answer.text}`);
  return undefined;
};

const note = (
  { told }: Client,
  path: string,
  { process, began, ended }: Asked,
  events: ReadonlyArray<LedgerEvent>,
): void => {
  told.ledger.push(...events);
  told.shown.push({ where: `GET ${path}`, way: 'ledger', process, began, ended, events });
};

/** The events of one record, as the ledger has them. */
const ofRecord = async (client: Client): Promise<void> => {
  const record = aRecord(client, isLucky(client, 0.8) ? 'Business' : 'Document');
  if (record === undefined) return;
  const path = `${LEDGER}?entity=${record}`;
  const asked = await ask(client, path);
  if (asked === undefined) return;
  const events = ledgerIn(asked);
  note(client, path, asked, events);
  client.told.reads.push({
    ...asked,
    record,
    of: 'Log',
    where: `GET ${path}`,
    seen: `${events.length} events`,
    fits: ({ revision }) => revision === events.length - 1 && events.every((event, place) => event.revision === place),
  });
};

/** A page of the ledger: its indexes follow each other. */
const aPage = async (client: Client): Promise<void> => {
  const [isBackwards, limit] = [isLucky(client, 0.4), 1 + below(client, 12)];
  const after = isLucky(client, 0.5) ? undefined : oneOf(client, client.told.ledger)?.index;
  const where = `${isBackwards ? '&order=desc' : ''}${after === undefined ? '' : `&after=${after}`}`;
  const path = `${LEDGER}?limit=${limit}${where}`;
  const asked = await ask(client, path);
  if (asked === undefined) return;
  const events = ledgerIn(asked);
  note(client, path, asked, events);
  const step = isBackwards ? -1 : 1;
  const first = after === undefined ? (isBackwards ? events[0]?.index : 0) : after + step;
  if (events.some(({ index }, place) => index !== (first ?? 0) + step * place) || events.length > limit)
    client.notes.breaks(`GET ${path} shows ${events.map(({ index }) => index).join()}`);
};

/** The proof of an event: it leads from the hash that clients have seen to a checkpoint. */
const aProof = async (client: Client): Promise<void> => {
  const event = oneOf(client, client.told.ledger);
  if (event === undefined) return aPage(client);
  const asked = await ask(client, `${LEDGER}/${event.index}/proof`);
  if (asked === undefined) return;
  const { verifier } = right(parseSigner(client.cluster.checkpointKey));
  const verified = verifyTlogProof(leafHash(Buffer.from(event.hash, 'hex')), asked.answer.bytes, [verifier]);
  if (E.isLeft(verified)) client.notes.breaks(`the proof of ${event.index} does not verify: ${verified.left}`);
  else if (verified.right.index !== event.index)
    client.notes.breaks(`the proof of ${event.index} is of ${verified.right.index}`);
  else {
    client.told.kept.push(asked.answer.bytes);
    client.notes.count('an event is proved');
  }
};

/** The newest checkpoint, which anybody may keep. */
const aCheckpoint = async (client: Client): Promise<void> => {
  const asked = await askAny(client, { method: 'GET', path: '/tlog/checkpoint' });
  if (asked?.answer.status !== 200) return;
  client.told.kept.push(asked.answer.bytes);
  client.notes.count('a checkpoint is kept');
};

/** Reads the ledger, or the proof of one of its events. */
export const audit = (client: Client): Promise<void> =>
  (oneOf(client, [ofRecord, ofRecord, aPage, aProof, aCheckpoint]) ?? ofRecord)(client);
