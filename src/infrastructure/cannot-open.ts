import { reasonOf } from './logging/reason-of.js';

/** A sentence that a person can act on. */
export type CannotOpen = { readonly _tag: 'CannotOpen'; readonly message: string };

/** What an adapter says when it cannot be opened, with the cause behind it. */
export const cannotOpen = ({ message, cause }: { readonly message: string; readonly cause?: unknown }): CannotOpen => ({
  _tag: 'CannotOpen',
  message: cause === undefined || reasonOf(cause) === '' ? message : `${message}: ${reasonOf(cause)}`,
});
