/** Whether a read model may lack something that has been answered as written; GET by id then folds the stream. */
export type Freshness = { readonly isBehind: () => boolean };
