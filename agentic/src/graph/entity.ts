/** A node with a type and observations about it in words. */
export interface Entity {
  readonly name: string;
  readonly entityType: string;
  /** Oldest first. */
  readonly observations: readonly string[];
}

/** A statement about two nodes in active voice: `from` works_at `to`. Neither node has to be an entity. */
export interface Relation {
  readonly from: string;
  readonly to: string;
  readonly relationType: string;
}

export interface EntitiesAndRelations {
  readonly entities: readonly Entity[];
  readonly relations: readonly Relation[];
}

export interface WholeGraph extends EntitiesAndRelations {
  /** True if the graph has more entities or relations than `itemCountMax`. */
  readonly truncated: boolean;
}
