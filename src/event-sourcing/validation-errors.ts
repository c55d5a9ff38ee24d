import { either as E } from 'fp-ts';
import type * as t from 'io-ts';

/** The keys that lead to the value, joined by dots. */
export const pathOf = (context: t.Context): string =>
  context
    .map(({ key }) => key)
    .filter((key) => key !== '')
    .join('.');

export const expectationOf = (context: t.Context): string => `expected ${context.at(-1)?.type.name ?? 'another value'}`;

/** Names paths and expectations of failed decodings, never the values: they may be personal. */
export const formatValidationErrors = (validation: t.Validation<unknown>): string =>
  E.isRight(validation)
    ? 'does not satisfy its codec'
    : validation.left.map(({ context }) => `${pathOf(context)}: ${expectationOf(context)}`).join('; ');
