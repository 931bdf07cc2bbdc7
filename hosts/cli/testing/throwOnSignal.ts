/** For `node --import`: an error that nobody catches, as a bug may throw, when the process gets SIGUSR2. */
process.on("SIGUSR2", () => {
  throw new Error("planted")
})
