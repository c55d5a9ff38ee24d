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

export type AddOwner = { readonly _tag: 'AddOwner'; readonly owner: Owner };

export type UpdateOwner = {
  readonly _tag: 'UpdateOwner';
  readonly user: string;
  readonly changes: Partial<Pick<Owner, 'title' | 'equity'>>;
};

export type RemoveOwner = { readonly _tag: 'RemoveOwner'; readonly user: string };

export type BusinessCommand = CreateBusiness | UpdateBusiness | DeleteBusiness | AddOwner | UpdateOwner | RemoveOwner;
