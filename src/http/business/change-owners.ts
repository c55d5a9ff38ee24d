import { either as E } from 'fp-ts';
import { pipe } from 'fp-ts/lib/function.js';
import type { BusinessUseCases } from '../../application/business/use-cases.js';
import type { Outcome } from '../../application/execute.js';
import type { CommandContext } from '../../application/command-context.js';
import type { UpdateOwner } from '../../domain/business/commands.js';
import type { BusinessRejection } from '../../domain/business/rejections.js';
import type { BusinessState } from '../../domain/business/state.js';
import { renderOwner } from '../../read/business-view.js';
import type { AuthorizedContext } from '../request-context.js';
import type { Failure, RequestInvalid } from '../problem/failure.js';
import { commandResponse } from '../record/command-response.js';
import { recordId } from '../record/record-id.js';
import { both } from '../request/both.js';
import { lenientJsonBody } from '../request/json-body.js';
import { commandContextOf } from '../request/command-context-of.js';
import { readCommand } from '../request/read-command.js';
import type { HttpResponse } from '../response/http-response.js';
import { readNewOwner, readOwnerChanges } from './owner-body.js';
import { readOwnerId } from './owner-id.js';

type Run = (context: CommandContext, businessId: string) => ReturnType<BusinessUseCases['addOwner']>;

const ownerIn = (state: BusinessState, user: string) =>
  state._tag === 'NotCreated' ? undefined : state.owners.find((owner) => owner.user === user);

/** A removed owner is shown as it was. */
const render = (user: string, { before, after }: Outcome<BusinessState>): string | undefined => {
  const owner = ownerIn(after, user) ?? ownerIn(before, user);
  return owner && renderOwner(owner);
};

const change = async (
  { params }: AuthorizedContext,
  user: string,
  context: CommandContext,
  run: Run,
): Promise<E.Either<Failure | BusinessRejection, HttpResponse>> => {
  const businessId = recordId(params['id']);
  return E.isLeft(businessId) ? businessId : commandResponse(user, await run(context, businessId.right), render);
};

export const addOwner =
  (businesses: BusinessUseCases) =>
  async (request: AuthorizedContext): Promise<E.Either<Failure | BusinessRejection, HttpResponse>> => {
    const read = await readCommand(request, readNewOwner);
    if (E.isLeft(read)) return read;
    const [context, owner] = read.right;
    return change(request, owner.user, context, (from, id) => businesses.addOwner(from, id, owner));
  };

type OwnerUpdate = { readonly user: string; readonly changes: UpdateOwner['changes'] };

const readUpdate =
  ({ params, searchParams }: AuthorizedContext) =>
  (body: unknown): E.Either<RequestInvalid, OwnerUpdate> => {
    const user = readOwnerId({ path: params['ownerId'], searchParams, body });
    const changes = readOwnerChanges(body, E.isRight(user) ? user.right : undefined);
    return pipe(
      both(user, changes),
      E.map(([named, wanted]) => ({ user: named, changes: wanted })),
    );
  };

export const updateOwner =
  (businesses: BusinessUseCases) =>
  async (request: AuthorizedContext): Promise<E.Either<Failure | BusinessRejection, HttpResponse>> => {
    const read = await readCommand(request, readUpdate(request));
    if (E.isLeft(read)) return read;
    const [context, { user, changes }] = read.right;
    return change(request, user, context, (from, id) => businesses.updateOwner(from, id, user, changes));
  };

export const removeOwner =
  (businesses: BusinessUseCases) =>
  async (request: AuthorizedContext): Promise<E.Either<Failure | BusinessRejection, HttpResponse>> => {
    const { ctx, params, searchParams } = request;
    const body = await lenientJsonBody(ctx);
    if (E.isLeft(body)) return body;
    const read = both(
      commandContextOf(request),
      readOwnerId({ path: params['ownerId'], searchParams, body: body.right }),
    );
    if (E.isLeft(read)) return read;
    const [context, user] = read.right;
    return change(request, user, context, (from, id) => businesses.removeOwner(from, id, user));
  };
