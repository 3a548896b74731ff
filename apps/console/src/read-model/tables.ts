/** The tables of the read model. */
export interface ReadModelTables {
  enforcements: string;
  victims: string;
  notices: string;
}
export const liveTables: ReadModelTables = {
  enforcements: 'read_runs',
  victims: 'read_victims',
  notices: 'read_notices',
};

/** The consumer that keeps the read model up to date. */
export const readModelConsumer = 'console';
