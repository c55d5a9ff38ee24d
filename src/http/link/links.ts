import { createHmac, timingSafeEqual } from 'node:crypto';
import { either as E } from 'fp-ts';
import * as t from 'io-ts';
import type { Clock } from '../../event-sourcing/clock.js';
import type { Caller } from '../authentication/roles.js';
import type { QueryValues } from '../parameters/query.js';
import { LINK } from '../paths.js';
import { type LinkNotValid, tokenExpired, type Unauthenticated } from '../problem/failure.js';

/** What a link gives whoever has it: one read. */
export type Granted = {
  /** The id of the record that it is of; undefined where it is of many. */
  readonly record?: string | undefined;
  /** The parameters that it is made with. */
  readonly query: QueryValues;
};

/** What is in a ticket: the read, and who made it, whose rights end when the ticket expires. */
export type Opened = { readonly caller: Caller; readonly granted: Granted };

/** A link as it is answered: `expiresAt` is an ISO 8601 instant, UTC. */
type Link = { readonly url: string; readonly expiresAt: string };

/**
 * Links to one read each, for who cannot send a token. `purpose` is the kind of read, and the part of the path that leads
 * to it: a ticket for one is none for another.
 */
export type Links = {
  /**
   * Of so many seconds, but never of longer than the caller's token. A token that is accepted for some seconds behind its
   * end, because clocks differ, has no time left to hand on.
   */
  readonly make: (
    purpose: string,
    caller: Caller,
    granted: Granted,
    seconds: number,
  ) => E.Either<Unauthenticated, Link>;
  /** One and the same failure for a ticket that was altered, or expired, or made under another key or for another purpose. */
  readonly open: (purpose: string, ticket: string) => E.Either<LinkNotValid, Opened>;
};

const Ticket = t.intersection([
  t.type({
    sub: t.string,
    /** Seconds since 1970. */
    exp: t.number,
    query: t.record(t.string, t.union([t.string, t.readonlyArray(t.string)])),
  }),
  t.partial({ record: t.string }),
]);

type Ticket = t.TypeOf<typeof Ticket>;

/** What is signed, and its HMAC-SHA256, both as base64url. */
const FORM = /^([\w-]+)\.([\w-]{43})$/;

const notValid = E.left<LinkNotValid>({ _tag: 'LinkNotValid' });

/**
 * Links that are signed under `key`, which all processes of a service share; they are absolute where `publicUrl` says how
 * the public reaches it, without a slash at its end. Signatures are compared as texts, as several texts of base64url are the
 * same bytes, and in constant time.
 */
export const makeLinks = (clock: Pick<Clock, 'date'>, key: string, publicUrl = ''): Links => {
  const signatureOf = (purpose: string, payload: string): string =>
    createHmac('sha256', key).update(`link v1\n${purpose}\n${payload}`).digest('base64url');

  /** What was signed; undefined of what was not. */
  const signedIn = (purpose: string, ticket: string): unknown => {
    const [, payload, signature] = FORM.exec(ticket) ?? [];
    if (payload === undefined || signature === undefined) return undefined;
    const expected = signatureOf(purpose, payload);
    return timingSafeEqual(Buffer.from(signature), Buffer.from(expected))
      ? JSON.parse(Buffer.from(payload, 'base64url').toString())
      : undefined;
  };

  return {
    make: (purpose, { subject, expiresAt }, { record, query }, longest) => {
      const now = clock.date().getTime();
      const expiry = new Date(Math.min(now + longest * 1000, Math.floor(expiresAt * 1000)));
      if (expiry.getTime() <= now) return E.left(tokenExpired);
      const exp = expiry.getTime() / 1000;
      const ticket: Ticket = { sub: subject, exp, query, ...(record === undefined ? {} : { record }) };
      const payload = Buffer.from(JSON.stringify(ticket)).toString('base64url');
      const url = `${publicUrl}${LINK}/${purpose}/${payload}.${signatureOf(purpose, payload)}`;
      return E.right({ url, expiresAt: expiry.toISOString() });
    },
    open: (purpose, ticket) => {
      const signed = signedIn(purpose, ticket);
      if (!Ticket.is(signed) || clock.date().getTime() / 1000 >= signed.exp) return notValid;
      const { sub, exp, record, query } = signed;
      // no row of a link asks for a role: its maker had it
      return E.right({ caller: { subject: sub, roles: [], expiresAt: exp }, granted: { record, query } });
    },
  };
};
