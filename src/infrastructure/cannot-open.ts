import { reasonOf } from '../event-sourcing/reason-of.js';

/** A log, database or storage cannot be opened; `message` tells a person why. */
export type CannotOpen = { readonly _tag: 'CannotOpen'; readonly message: string };

/** The failure of an adapter, with the message of its cause. */
export const cannotOpen = ({ message, cause }: { readonly message: string; readonly cause?: unknown }): CannotOpen => ({
  _tag: 'CannotOpen',
  message: cause === undefined || reasonOf(cause) === '' ? message : `${message}: ${reasonOf(cause)}`,
});
