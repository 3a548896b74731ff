import { CurtailError } from '#contracts';

/** The first migration of builds before 0.1.0. */
const firstBeforeRelease = 'EventStore1763740001000';

/** The tables of a database are not those of this version, nor of one that it continues. Nothing in it was changed. */
export class UnusableTables extends CurtailError {
  private constructor(
    readonly code: 'database-too-old' | 'database-foreign',
    readonly reason: string,
    readonly remedy: string,
  ) {
    super(`${reason}: ${remedy}`);
  }

  static tooOld(): UnusableTables {
    return new UnusableTables(
      'database-too-old',
      'the database was made by a build of Curtail from before 0.1.0, which no version can continue',
      'start with a new database, or with another data folder. To keep the configurations, start the build that made it, write each into a ' +
        'file with curtail export --partition PARTITION, and apply the files here',
    );
  }

  /** @param first the migration that its list begins with. */
  static foreign(first: string): UnusableTables {
    return new UnusableTables(
      'database-foreign',
      `the database belongs to another program: its table migrations begins with "${first}"`,
      'give Curtail a database of its own',
    );
  }
}

/**
 * Each database of Curtail begins with the same migration. One that has further ones, which this build does not know, is of a newer release
 * and may be used.
 *
 * @param applied names of the migrations of the database, oldest first.
 * @param first the name of the first migration of this build.
 * @throws UnusableTables if the database began otherwise.
 */
export function assertOwnTables(applied: readonly string[], first: string | undefined): void {
  if (applied.length === 0 || first === undefined || applied.includes(first)) return;
  throw applied.includes(firstBeforeRelease) ? UnusableTables.tooOld() : UnusableTables.foreign(applied[0]!);
}
