import { either as E } from 'fp-ts';
import type { EventKeys } from '../event-key.js';
import { type MacStatus, macStatusOf } from '../event-mac.js';
import type { StoredEvent } from '../recorded-event.js';

/** Why nobody can say that the service has sealed an event. */
export type MacFault = {
  readonly _tag: 'MacMismatch' | 'UnknownKey' | 'MacMissing';
  readonly event: StoredEvent;
};

/** Checks events one by one, whether or not the chain that they stand in is whole. */
type MacVerifier = {
  /** `isRequired`: whether the event must have a `mac`. */
  readonly verify: (event: StoredEvent, isRequired: boolean) => E.Either<MacFault, void>;
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

/** Without keys, it finds those that are missing, and checks none. */
export const makeMacVerifier = (keys: EventKeys): MacVerifier => {
  let withMac = 0;
  return {
    verify: (event, isRequired) => {
      const status = macStatusOf(keys, event);
      if (status !== 'None') withMac += 1;
      const fault = faultOf(status, isRequired);
      return fault === undefined ? E.right(undefined) : E.left({ _tag: fault, event });
    },
    withMac: () => withMac,
  };
};
