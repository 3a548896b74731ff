/** One value that a deciding rule depends on. */
export type Fact = string | number | boolean;

/** By name, the facts of the rule that decided for a victim. docs/reference/snapshot.md, "Rules and facts" */
export type Facts = Readonly<Record<string, Fact>>;
