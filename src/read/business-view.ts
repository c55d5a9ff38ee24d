import { businessFieldNames, type BusinessFields, type Owner } from '../domain/business/events.js';
import type { Business } from '../domain/business/state.js';
import { needsNoEscape } from '../event-sourcing/canonical-json.js';

/** A business as it is answered: `_id`, its fields in the order of their codec, its owners. */
export type BusinessView = Omit<BusinessFields, 'displayName'> & {
  readonly _id: string;
  readonly displayname: string | null;
  readonly owners: ReadonlyArray<Owner>;
};

/** The key under which a field is answered. */
export const keyOf = (name: keyof BusinessFields): string => (name === 'displayName' ? 'displayname' : name);

const members = businessFieldNames.map((name) => {
  const key = `,"${keyOf(name)}":`;
  return { name, key, keyAndQuote: `${key}"`, unset: `${key}null` };
});

/** As fast as `JSON.stringify` on a literal that lists the fields; on an object that is filled key by key it takes twice the time. */
const renderFields = (fields: BusinessFields): string => {
  let text = '';
  for (const { name, key, keyAndQuote, unset } of members) {
    const value = fields[name];
    if (value === null) text += unset;
    else if (typeof value === 'string' && needsNoEscape(value)) text = `${text}${keyAndQuote}${value}"`;
    else text = `${text}${key}${JSON.stringify(value)}`;
  }
  return text;
};

/** The owner as answered; it has no identifier but its `user`. */
export const renderOwner = ({ user, title, equity }: Owner): string => JSON.stringify({ user, title, equity });

/** The JSON text of a business as every GET and every write answers it. */
export const renderBusiness = (id: string, { fields, owners }: Business): string => {
  const shown = JSON.stringify(owners.map(({ user, title, equity }) => ({ user, title, equity })));
  return `{"_id":${JSON.stringify(id)}${renderFields(fields)},"owners":${shown}}`;
};
