// Constants that the build puts in: scripts/console/bundle.ts says how.

/** The address of the worker in inventory/worker.ts, relative to any script of the console. */
declare const __INVENTORY_WORKER__: string;
