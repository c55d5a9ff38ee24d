import { either as E } from 'fp-ts';
import type { BusinessUseCases } from '../../application/business/use-cases.js';
import type { Outcome } from '../../application/execute.js';
import type { UpdateOwner } from '../../domain/business/commands.js';
import type { BusinessRejection } from '../../domain/business/rejections.js';
import type { BusinessState } from '../../domain/business/state.js';
import { renderOwner } from '../../read/business-view.js';
import { type AuthorizedContext, pathOf } from '../request-context.js';
import type { Failure, RequestInvalid } from '../problem/failure.js';
import { commandResponse } from '../record/command-response.js';
import { recordId } from '../record/record-id.js';
import { isUtf8Encoded } from '../parameters/query.js';
import { readBody } from '../parameters/unknown.js';
import { both } from '../request/both.js';
import { lenientJsonBody } from '../request/json-body.js';
import { commandContextOf } from '../request/command-context-of.js';
import { readCommand } from '../request/read-command.js';
import type { HttpResponse } from '../response/http-response.js';
import { readNewOwner, readOwnerChanges, readOwnerId } from './owner-request.js';

const ownerIn = (state: BusinessState, user: string) =>
  state._tag === 'NotCreated' || state._tag === 'Erased'
    ? undefined
    : state.owners.find((owner) => owner.user === user);

/** A removed owner is shown as it was. */
const render = (user: string, { before, after }: Outcome<BusinessState>): string | undefined => {
  const owner = ownerIn(after, user) ?? ownerIn(before, user);
  return owner && renderOwner(owner);
};

export const addOwner =
  (businesses: BusinessUseCases) =>
  async (request: AuthorizedContext): Promise<E.Either<Failure | BusinessRejection, HttpResponse>> => {
    const read = await readCommand(request, readNewOwner);
    if (E.isLeft(read)) return read;
    const id = recordId(request.params['id']);
    if (E.isLeft(id)) return id;
    const [context, owner] = read.right;
    return commandResponse(owner.user, await businesses.addOwner(context, id.right, owner), render);
  };

/** No owner has a control character in its name. */
const NOBODY = '\0';

const lastSegmentOf = (path: string): string => path.slice(path.lastIndexOf('/', path.length - 2) + 1);

/** The router leaves a segment as it is written where its bytes are no UTF-8: as text it could name an owner. */
const ownerIdIn = ({ ctx, params, query }: AuthorizedContext, body: unknown): E.Either<RequestInvalid, string> => {
  const named = params['ownerId'];
  const path = named === undefined || isUtf8Encoded(lastSegmentOf(pathOf(ctx))) ? named : NOBODY;
  return readOwnerId({ path, query, body });
};

const readUpdate =
  (request: AuthorizedContext) =>
  (body: unknown): E.Either<RequestInvalid, readonly [string, UpdateOwner['changes']]> => {
    const user = ownerIdIn(request, body);
    return both(user, readOwnerChanges(body, E.isRight(user) ? user.right : undefined));
  };

export const updateOwner =
  (businesses: BusinessUseCases) =>
  async (request: AuthorizedContext): Promise<E.Either<Failure | BusinessRejection, HttpResponse>> => {
    const read = await readCommand(request, readUpdate(request));
    if (E.isLeft(read)) return read;
    const id = recordId(request.params['id']);
    if (E.isLeft(id)) return id;
    const [context, [user, changes]] = read.right;
    return commandResponse(user, await businesses.updateOwner(context, id.right, user, changes), render);
  };

export const removeOwner =
  (businesses: BusinessUseCases) =>
  async (request: AuthorizedContext): Promise<E.Either<Failure | BusinessRejection, HttpResponse>> => {
    const body = await lenientJsonBody(request.ctx);
    if (E.isLeft(body)) return body;
    const named = (from: unknown) => ownerIdIn(request, from);
    const read = both(commandContextOf(request), readBody(request, named, body.right));
    if (E.isLeft(read)) return read;
    const id = recordId(request.params['id']);
    if (E.isLeft(id)) return id;
    const [context, user] = read.right;
    return commandResponse(user, await businesses.removeOwner(context, id.right, user), render);
  };
