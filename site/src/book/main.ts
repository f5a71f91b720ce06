// The scripts of each page of the book. Without them only the search is missing.

import "./reach";
import "./search";
