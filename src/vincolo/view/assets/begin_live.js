// The beginning of a page that a program feeds.

new Live(unpacked().about);
