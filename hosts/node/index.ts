/** The reference process: settings, engines, server, signals, health. */
export * from "./administration.ts"
export * from "./embedded.ts"
export * from "./engines.ts"
export * from "./host.ts"
export * from "./server.ts"
export * from "./settings.ts"
