import { either as E } from 'fp-ts';
import type { EventKeys } from '../event-key.js';
import { type MacStatus, macStatusOf } from '../event-mac.js';
import type { StoredEvent } from '../recorded-event.js';

/** Why nobody can say that the service has sealed an event. */
export type MacFault = {
  readonly _tag: 'MacMismatch' | 'UnknownKey' | 'MacMissing';
  readonly event: StoredEvent;
};

/** Checks events one by one, in any order, whether or not the chain that they stand in is whole. */
type MacVerifier = {
  readonly verify: (event: StoredEvent) => E.Either<MacFault, void>;
  /** How many of the events that it has been given have a `mac`. */
  readonly withMac: () => number;
};

const faultOf = (status: MacStatus, isRequired: boolean): MacFault['_tag'] | undefined => {
  switch (status) {
    case 'None':
      return isRequired ? 'MacMissing' : undefined;
    case 'DoesNotFit':
      return 'MacMismatch';
    case 'UnknownKey':
      return 'UnknownKey';
    case 'Fits':
    case 'NotChecked':
      return undefined;
  }
};

/**
 * `isRequired` tells which events must have a `mac` (`findMacRule`). Without keys, it finds those that are missing, and
 * checks none.
 */
export const makeMacVerifier = (keys: EventKeys, isRequired: (event: StoredEvent) => boolean): MacVerifier => {
  let withMac = 0;
  return {
    verify: (event) => {
      const status = macStatusOf(keys, event);
      if (status !== 'None') withMac += 1;
      const fault = faultOf(status, isRequired(event));
      return fault === undefined ? E.right(undefined) : E.left({ _tag: fault, event });
    },
    withMac: () => withMac,
  };
};
