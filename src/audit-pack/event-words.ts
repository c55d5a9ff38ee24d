import { isJsonObject, type Json, type JsonObject } from '../event-sourcing/canonical-json.js';

// What report.html says of an event in words. They are a part of the format of a pack and do not change when those of the
// API do: the verifiers say the same of data that may be of any shape.

/** `a`, `a and b`, `a, b and c`. */
const enumerated = (names: ReadonlyArray<string>): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}`;

/** The names of members in the order of RFC 8785. */
const namesIn = (data: JsonObject): ReadonlyArray<string> => Object.keys(data).sort();

const updated = (before: string, names: ReadonlyArray<string>): string | undefined =>
  names.length === 0 ? undefined : `${before}${enumerated(names)} updated`;

const isRevision = (to: Json | undefined): to is number => Number.isSafeInteger(to) && Number(to) >= 0;

const reverted = (names: ReadonlyArray<string>, to: Json | undefined): string | undefined =>
  names.length === 0 || !isRevision(to) ? undefined : `${enumerated(names)} reverted to revision ${to}`;

const words = (type: string, data: JsonObject): string | undefined => {
  const changes = isJsonObject(data['changes']) ? namesIn(data['changes']) : [];
  const { file, to } = data;
  switch (type) {
    case 'BusinessCreated':
      return 'business created';
    case 'BusinessDeleted':
      return 'business deleted';
    case 'BusinessRestored':
      return 'business restored';
    case 'BusinessUpdated':
      return updated('', changes);
    case 'BusinessReverted':
      return reverted(changes, to);
    case 'BusinessOwnerAdded':
      return 'owner added';
    case 'BusinessOwnerRemoved':
      return 'owner removed';
    case 'BusinessOwnerUpdated':
      return updated(
        'owner ',
        namesIn(data).filter((name) => name !== 'user'),
      );
    case 'DocumentCreated':
      return `document created${isJsonObject(file) ? ' with a file' : ''}`;
    case 'DocumentDeleted':
      return 'document deleted';
    case 'DocumentRestored':
      return 'document restored';
    case 'DocumentUpdated':
      return updated('', [...(isJsonObject(file) ? ['file'] : []), ...changes]);
    case 'DocumentReverted':
      // null where there was no file at that revision
      return reverted([...(isJsonObject(file) || file === null ? ['file'] : []), ...changes], to);
    default:
      return undefined;
  }
};

/** What an event did, in words; its type where they are not known. `data` is without the reason, undefined where it is withheld. */
export const eventInWords = (type: string, data: Json | undefined): string =>
  (isJsonObject(data) ? words(type, data) : undefined) ?? type;

/** A member that an event gave a value: under which name it is shown, and whether it had another value before. */
type Member = { readonly label: string; readonly value: Json; readonly isChange: boolean };

/** The members of its data, those that it changed first. */
export const membersOf = (type: string, data: Json): ReadonlyArray<Member> => {
  if (!isJsonObject(data)) return [{ label: 'data', value: data, isChange: false }];
  const isUpdate = type.endsWith('Updated') || type.endsWith('Reverted');
  const { changes, ...rest } = data;
  const nested = isUpdate && isJsonObject(changes) ? changes : undefined;
  const others = nested === undefined ? data : rest;
  const { user } = data;
  const owner = type.startsWith('BusinessOwner') && typeof user === 'string' ? ` of owner ${user}` : '';
  return [
    ...namesIn(nested ?? {}).map((label) => ({ label, value: nested?.[label] ?? null, isChange: true })),
    ...namesIn(others).map((name) => ({
      label: owner !== '' && name === 'user' ? 'owner' : `${name}${owner}`,
      value: others[name] ?? null,
      isChange: isUpdate && (name === 'file' || (owner !== '' && name !== 'user')),
    })),
  ];
};
