import type { Ahead } from '../../src/event-sourcing/ahead.js';
import type { StreamName } from '../../src/event-sourcing/recorded-event.js';
import type { WrongLog } from './engine-failure.js';
import type { Parking } from './rows/fold-batch.js';

type OfProjection = { readonly projection: string };

/** What happens in the engine, for the process's log and metrics. Without payloads. */
export type EngineEvent =
  | (OfProjection & { readonly _tag: 'Projecting'; readonly generation: string; readonly role: string })
  | (OfProjection & { readonly _tag: 'StandingBy' })
  | (OfProjection & { readonly _tag: 'Interrupted'; readonly cause: unknown })
  | (OfProjection & { readonly _tag: 'LeaseLost' })
  | (OfProjection & { readonly _tag: 'Replaced'; readonly generation: string })
  | (OfProjection & { readonly _tag: 'Switched'; readonly generation: string })
  | (OfProjection & { readonly _tag: 'Parked' } & Pick<Parking, 'event' | 'reason'>)
  /** An event came that the row includes already: the log was cut, and has grown again. */
  | (OfProjection & { readonly _tag: 'Ahead'; readonly stream: StreamName } & Ahead)
  | (OfProjection & { readonly _tag: 'Unparked'; readonly stream: string })
  | (OfProjection & { readonly _tag: 'WrongLog'; readonly wrongLog: WrongLog })
  | (OfProjection & { readonly _tag: 'SameLogAgain' })
  /** A fault of the program in `task`, which goes on. */
  | (OfProjection & { readonly _tag: 'Fault'; readonly task: string; readonly cause: unknown });

export type OnEngineEvent = (event: EngineEvent) => void;
