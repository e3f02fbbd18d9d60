// The beginning of a page with a study.

beginStudy(unpacked());
