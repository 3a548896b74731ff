/** From a file of its own: the rest of the platform takes longer to load than most commands take. */
export { packageFolder, programVersion } from '#platform/version';
