import type { Caller } from './authentication/roles.js';
import type { Connection } from './budget/connection.js';
import type { ProcessBudget } from './budget/process-budget.js';
import type { ErrorCode } from './problem/error-codes.js';
import type { RecordedRequest } from './recorded-request.js';
import type { Handling, RequestState } from './request-context.js';

/**
 * The state of a request that is being served. Of the process budget it acquires in the name of its caller, or of its
 * address as long as the caller is not known.
 */
export class ServedRequest implements RequestState {
  readonly requestId: string;
  /** When it began to be served, of `Clock.monotonic`. */
  readonly began: number;
  readonly #connection: Connection;
  readonly #budget: ProcessBudget;
  operation: string | undefined = undefined;
  absent: ErrorCode | undefined = undefined;
  record: string | undefined = undefined;
  recorded: RecordedRequest | undefined = undefined;
  caller: Caller | undefined = undefined;
  user: unknown = undefined;
  handling: Handling | undefined = undefined;

  constructor(requestId: string, began: number, connection: Connection, budget: ProcessBudget) {
    this.requestId = requestId;
    this.began = began;
    this.#connection = connection;
    this.#budget = budget;
  }

  async acquire(resource: keyof ProcessBudget, amount?: number): Promise<boolean> {
    const isAcquired = await this.#budget[resource].acquire(this.#connection, this.#name(), amount);
    // everything but bytes is acquired before long work
    return resource === 'bytes' ? isAcquired && !this.#connection.isGone() : isAcquired && this.timeSlice();
  }

  async tryAcquire(resource: keyof ProcessBudget): Promise<boolean> {
    return this.#budget[resource].tryAcquire(this.#connection, this.#name()) && this.timeSlice();
  }

  async timeSlice(bytes?: number): Promise<boolean> {
    await this.#connection.timeSlice(bytes);
    return !this.#connection.isGone();
  }

  #name(): string {
    return this.caller?.subject ?? this.#connection.network;
  }
}
