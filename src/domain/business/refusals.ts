/** Never created, or deleted. */
export type BusinessNotFound = { readonly _tag: 'BusinessNotFound' };

export type BusinessAlreadyExists = { readonly _tag: 'BusinessAlreadyExists' };

export type BusinessIsItsOwnParent = { readonly _tag: 'BusinessIsItsOwnParent' };

export type OwnerNotFound = { readonly _tag: 'OwnerNotFound' };

export type OwnerAlreadyAdded = { readonly _tag: 'OwnerAlreadyAdded' };

export type BusinessRefusal =
  BusinessNotFound | BusinessAlreadyExists | BusinessIsItsOwnParent | OwnerNotFound | OwnerAlreadyAdded;
