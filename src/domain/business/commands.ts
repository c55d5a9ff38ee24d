import type { BusinessChanges, Owner } from './events.js';

export type CreateBusiness = {
  readonly _tag: 'CreateBusiness';
  readonly businessId: string;
  readonly fields: BusinessChanges & { readonly name: string };
};

/** Absent: leave as it is; null: clear. */
export type UpdateBusiness = {
  readonly _tag: 'UpdateBusiness';
  readonly businessId: string;
  readonly changes: BusinessChanges;
};

type DeleteBusiness = { readonly _tag: 'DeleteBusiness' };

type RestoreBusiness = { readonly _tag: 'RestoreBusiness' };

/** `fields`: the values of the revision `to`, of those fields that are to have them again. */
export type RevertBusiness = {
  readonly _tag: 'RevertBusiness';
  readonly to: number;
  readonly fields: BusinessChanges;
};

export type AddOwner = { readonly _tag: 'AddOwner'; readonly owner: Owner };

export type UpdateOwner = {
  readonly _tag: 'UpdateOwner';
  readonly user: string;
  readonly changes: Partial<Pick<Owner, 'title' | 'equity'>>;
};

export type RemoveOwner = { readonly _tag: 'RemoveOwner'; readonly user: string };

export type BusinessCommand =
  | CreateBusiness
  | UpdateBusiness
  | DeleteBusiness
  | RestoreBusiness
  | RevertBusiness
  | AddOwner
  | UpdateOwner
  | RemoveOwner;
