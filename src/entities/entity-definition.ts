import type { option as O } from 'fp-ts';
import type { Projection } from '../../projections/projection.js';
import type { Decider } from '../event-sourcing/decider.js';
import type { DomainEvent, Serde } from '../event-sourcing/serde.js';
import type { Description } from '../read/ref.js';

/** One kind of entity: everything that is particular to it, once. */
export type EntityDefinitionOf<State, Command, Event extends DomainEvent, Rejection> = {
  /** As events and API name it: their `entityType`. */
  readonly name: string;
  /** What the names of its streams begin with: `<category>-<id>`. One word without a dash. */
  readonly category: string;
  readonly decider: Decider<State, Command, Event, Rejection>;
  readonly serde: Serde<Event>;
  /** What an auditor reads of an event beside its envelope. */
  describe(this: void, event: Event): Description;
  /** The record as GET answers it; none for a state in which there is nothing to GET. */
  render(this: void, id: string, state: State): O.Option<string>;
  readonly projection: Projection;
};

/** A kind of entity to whoever works on all of them alike: states and events are opaque, commands are not run. */
export type EntityDefinition = Omit<EntityDefinitionOf<unknown, never, DomainEvent, never>, 'decider'>;
