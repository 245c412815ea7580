// Reloads the page that loads this script after each build.
