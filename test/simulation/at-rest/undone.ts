import { isDeepStrictEqual } from 'node:util';
import { historiesOf } from '../checks/histories.js';
import { askOnce, type Asked, type Client } from '../clients/client.js';
import { PATHS } from '../clients/reading.js';
import type { LedgerEvent } from '../checks/states.js';
import type { Service } from '../service.js';

/** What tells one revision of a record from another with the same values; and owners, which no revert changes. */
const shownOf = ({ answer: { text } }: Asked, isRevert: boolean): object => {
  // reason: what the API answers
  const { revision: _revision, updatedAt: _updatedAt, owners, ...others } = JSON.parse(text) as Record<string, unknown>;
  return isRevert ? others : { ...others, owners };
};

// reason: what the API answers
const ownersIn = ({ answer: { text } }: Asked): unknown => (JSON.parse(text) as { readonly owners?: unknown }).owners;

/**
 * Each record that was restored is as it was before it was deleted, and each that was reverted whole as it was at that revision,
 * but for its owners, which are as they were before.
 */
export const checkUndone = async (
  client: Client,
  services: ReadonlyArray<Service>,
  ledger: ReadonlyArray<LedgerEvent>,
): Promise<void> => {
  const { told, notes } = client;
  for (const { record, kind, events } of historiesOf(ledger).values())
    for (const { name, type, revision, reason = '' } of events) {
      const to = told.reverts.get(reason);
      const isRevert = to !== undefined;
      if ((!isRevert && !name.endsWith('Restored')) || type === 'erased') continue;
      const path = `${PATHS[kind]}/${record}?revision=`;
      // between a deletion and what restores it may be an erasure
      const deletion = events.findLast((event) => event.revision < revision && event.name.endsWith('Deleted'));
      const undeleted = (deletion?.revision ?? revision) - 1;
      const [then, now, before] = await Promise.all(
        [to ?? undeleted, revision, isRevert ? revision - 1 : undeleted].map((each) =>
          askOnce(client, { method: 'GET', path: `${path}${each}` }, services[revision % services.length]),
        ),
      );
      if (then?.answer.status !== 200 || now?.answer.status !== 200 || before?.answer.status !== 200)
        notes.breaks(`at rest GET ${path} of what ${reason} has undone was answered ${now?.answer.status}`);
      else if (!isDeepStrictEqual(shownOf(then, isRevert), shownOf(now, isRevert)))
        notes.breaks(`${reason} has left ${now.answer.text}, and it was ${then.answer.text}`);
      else if (!isDeepStrictEqual(ownersIn(before), ownersIn(now)))
        notes.breaks(`${reason} has left the owners ${now.answer.text}, and they were ${before.answer.text}`);
    }
};
