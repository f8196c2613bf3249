int   x ;
