import { isJsonObject, type Json } from '../event-sourcing/canonical-json.js';

const isValue = (value: Json | undefined, wanted: string): boolean =>
  typeof value === 'string' ? value === wanted : typeof value !== 'object' && JSON.stringify(value) === wanted;

/**
 * Whether the data of an event, at whatever depth, has a text as a value, or a number or truth value whose JSON it is. `body` is
 * the event as its history shows it. Names of members are no values.
 */
export const hasValue = (body: string, wanted: string): boolean => {
  const { data } = JSON.parse(body) as { readonly data?: Json }; // reason: the ledger holds what the history shows
  // not by a function that calls itself: data may be nested as deeply as somebody liked
  const open: Array<Json | undefined> = [data];
  while (open.length > 0) {
    const value = open.pop();
    if (isValue(value, wanted)) return true;
    if (Array.isArray(value)) for (const element of value as ReadonlyArray<Json>) open.push(element);
    else if (isJsonObject(value)) for (const member of Object.values(value)) open.push(member);
  }
  return false;
};
