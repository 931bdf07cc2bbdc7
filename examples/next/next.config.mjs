// The paths of apps in a replay end in a slash.
export default { skipTrailingSlashRedirect: true }
