import type { Parking } from './fold-batch.js';
import type { ProjectionRefused } from './instance/projection-refused.js';

type Name = { readonly projection: string };

/** What the engine has to tell an operator; once per change, never payloads. */
export type Notice =
  | (Name & { readonly _tag: 'Projecting'; readonly instance: string; readonly role: string })
  | (Name & { readonly _tag: 'StandingBy' })
  | (Name & { readonly _tag: 'Interrupted'; readonly cause: unknown })
  | (Name & { readonly _tag: 'Deposed' })
  | (Name & { readonly _tag: 'Replaced'; readonly instance: string })
  | (Name & { readonly _tag: 'Switched'; readonly instance: string })
  | (Name & { readonly _tag: 'Parked' } & Pick<Parking, 'event' | 'reason'>)
  | (Name & { readonly _tag: 'Unparked'; readonly stream: string })
  | (Name & { readonly _tag: 'Refused'; readonly error: ProjectionRefused })
  | (Name & { readonly _tag: 'Accepted' });

export type OnNotice = (notice: Notice) => void;
